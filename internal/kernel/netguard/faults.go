package netguard

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"

	"bridle/internal/kernel/fault"
)

// The codes of this package's faults.
const (
	CodeRefused     = "net_refused"     // our rules forbid the request
	CodeUnreachable = "net_unreachable" // no answer, or none that is HTTP
	CodeTimeout     = "net_timeout"
	CodeTLS         = "net_tls"
	CodeTooLarge    = "net_too_large"
	CodeIncomplete  = "net_incomplete"
)

// refusal is a rule that a request breaks. It is its own type so that it
// survives net/http's wrapping.
func refusal(format string, args ...any) error {
	return fault.Newf(CodeRefused, format, args...)
}

// explain turns what net/http returned into a fault that names the URL
// without its query.
func explain(u *url.URL, err error) error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	name := shown(u)
	var (
		certificate *tls.CertificateVerificationError
		authority   x509.UnknownAuthorityError
		host        x509.HostnameError
		record      tls.RecordHeaderError
		dns         *net.DNSError
	)
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		return fault.Newf(CodeTimeout, "%q did not answer in time", name).Because(err).
			WithHint("try again later")
	case errors.As(err, &certificate), errors.As(err, &authority), errors.As(err, &host), errors.As(err, &record):
		return fault.Newf(CodeTLS, "the certificate of %q cannot be trusted", name).Because(err).
			WithHint("nothing was sent; if a company proxy opens TLS here, install its certificate authority in the system")
	case errors.As(err, &dns):
		return fault.Newf(CodeUnreachable, "the host of %q cannot be found", name).Because(err).
			WithHint("check the address and the network")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fault.Newf(CodeIncomplete, "%q closed the connection before the answer was complete", name).Because(err).
			WithHint("try again")
	default:
		return fault.Newf(CodeUnreachable, "cannot reach %q", name).Because(err).
			WithHint("check the network and try again")
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// shown is a URL as people may see it.
func shown(u *url.URL) string {
	if u == nil {
		return ""
	}
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return bare.String()
}
