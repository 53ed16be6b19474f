package netguard

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"bridle/internal/kernel/fault"
)

// Defaults of Options.
const (
	DefaultTimeout      = 30 * time.Second
	DefaultMaxBytes     = 32 << 20
	DefaultMaxRedirects = 5

	connectTimeout = 10 * time.Second
	maxHeaderBytes = 256 << 10
)

// Options are the few things that may differ from one client to another.
type Options struct {
	// AllowLoopback admits loopback addresses, and plain http to them.
	AllowLoopback bool
	// Timeout bounds one request from the name look-up to the last byte.
	Timeout time.Duration
	// MaxBytes bounds the body of one answer.
	MaxBytes int64
	// MaxRedirects bounds how often one request is sent elsewhere; negative
	// means never.
	MaxRedirects int
	// UserAgent names the program.
	UserAgent string
	// RootCAs replaces the system's certificate authorities.
	RootCAs *x509.CertPool
	// Resolver replaces the system's name service.
	Resolver Resolver
	// Proxy is an http or https proxy that a person configured on purpose. It
	// may be at any address, and it is the proxy that looks host names up; what
	// can be told of a host without a look-up is still checked here.
	Proxy *url.URL
}

// Client sends requests under the rules of this package.
type Client struct {
	opts      Options
	resolver  Resolver
	dialer    *net.Dialer
	transport *http.Transport
	client    *http.Client
}

// New returns a client. Close it when it is needed no longer.
func New(opts Options) *Client {
	if opts.Timeout <= 0 {
		opts.Timeout = DefaultTimeout
	}
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = DefaultMaxBytes
	}
	if opts.MaxRedirects == 0 {
		opts.MaxRedirects = DefaultMaxRedirects
	}
	if opts.UserAgent == "" {
		opts.UserAgent = "bridle"
	}
	c := &Client{opts: opts, resolver: opts.Resolver, dialer: &net.Dialer{Timeout: connectTimeout}}
	if c.resolver == nil {
		c.resolver = net.DefaultResolver
	}
	c.transport = &http.Transport{
		Proxy:                  nil,
		DialContext:            c.dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: opts.RootCAs},
		TLSHandshakeTimeout:    connectTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		ForceAttemptHTTP2:      true,
		// A compressed answer has no length to check it against, and expands
		// to anything.
		DisableCompression:  true,
		MaxIdleConns:        8,
		MaxIdleConnsPerHost: 2,
		IdleConnTimeout:     30 * time.Second,
	}
	if opts.Proxy != nil {
		c.transport.Proxy = http.ProxyURL(opts.Proxy)
	}
	c.client = &http.Client{Transport: guarded{c}, CheckRedirect: c.checkRedirect}
	return c
}

// Close ends idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// HTTP returns the client as libraries want it. Requests through it obey every
// rule but the bounds of size and time: the caller's context bounds the time,
// and answers that stream have no size.
func (c *Client) HTTP() *http.Client { return c.client }

// guarded checks each request that leaves, the redirected ones included.
type guarded struct{ c *Client }

func (g guarded) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := g.c.checkURL(req.URL); err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	if req.Header.Get("User-Agent") == "" {
		req = req.Clone(req.Context())
		req.Header.Set("User-Agent", g.c.opts.UserAgent)
	}
	return g.c.transport.RoundTrip(req)
}

// checkURL applies the rules that need no look-up.
func (c *Client) checkURL(u *url.URL) error {
	switch {
	case u.Hostname() == "":
		return refusal("the URL %q names no host", shown(u))
	case u.User != nil:
		return refusal("the URL of %q carries credentials", u.Hostname())
	case c.opts.Proxy != nil && c.insideByName(u.Hostname()):
		return refusal("the host %q is no public one", u.Hostname())
	case u.Scheme == "https":
		return nil
	case u.Scheme == "http" && c.opts.AllowLoopback && isLoopbackName(u.Hostname()):
		return nil
	case u.Scheme == "http":
		return refusal("%q is not encrypted; only https is used", shown(u))
	default:
		return refusal("%q is no https URL", shown(u))
	}
}

// insideByName reports whether a host is not public by its text alone.
func (c *Client) insideByName(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return !c.allowed(addr)
	}
	return !c.opts.AllowLoopback && host == "localhost" || !strings.Contains(host, ".") && host != "localhost"
}

// isLoopbackName reports whether a host is loopback by its text alone, so that
// a name cannot later resolve to another machine and be spoken to in clear.
func isLoopbackName(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Header is the headers of a request or an answer, for callers that have no
// other business with net/http.
type Header = http.Header

// Request is one request. Zero bounds mean the client's.
type Request struct {
	Method   string // GET when empty
	URL      string
	Header   Header
	Body     []byte
	MaxBytes int64
	Timeout  time.Duration
}

// Response is an answer, whatever its status. URL is where it came from in the
// end, without the query.
type Response struct {
	Status int
	Header Header
	URL    string
	Body   []byte // empty after Download
	Size   int64
}

// Do sends a request and reads the whole answer.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	var body bytes.Buffer
	response, err := c.Download(ctx, r, &body)
	if err != nil {
		return nil, err
	}
	response.Body = body.Bytes()
	return response, nil
}

// Download sends a request and writes the body of the answer to w as it comes.
// On an error w may hold a part of it.
func (c *Client) Download(ctx context.Context, r Request, w io.Writer) (*Response, error) {
	if r.MaxBytes <= 0 {
		r.MaxBytes = c.opts.MaxBytes
	}
	if r.Timeout <= 0 {
		r.Timeout = c.opts.Timeout
	}
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	req, err := newRequest(ctx, r)
	if err != nil {
		return nil, err
	}
	answer, err := c.client.Do(req)
	if err != nil {
		return nil, explain(req.URL, err)
	}
	defer func() { _ = answer.Body.Close() }()
	u := answer.Request.URL
	if answer.ContentLength > r.MaxBytes {
		return nil, tooLarge(u, r.MaxBytes)
	}
	sink := &sink{w: w}
	size, err := io.Copy(sink, io.LimitReader(answer.Body, r.MaxBytes+1))
	switch {
	case sink.err != nil:
		return nil, sink.err
	case err != nil:
		return nil, explain(u, err)
	}
	if size > r.MaxBytes {
		return nil, tooLarge(u, r.MaxBytes)
	}
	return &Response{Status: answer.StatusCode, Header: answer.Header, URL: shown(u), Size: size}, nil
}

// sink tells a failure to store from a failure to fetch.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.err = err
	return n, err
}

func newRequest(ctx context.Context, r Request) (*http.Request, error) {
	method := r.Method
	if method == "" {
		method = http.MethodGet
	}
	var body io.Reader
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	req, err := http.NewRequestWithContext(ctx, method, r.URL, body)
	if err != nil {
		return nil, fault.New(CodeRefused, "the URL cannot be read").Because(err)
	}
	for name, values := range r.Header {
		req.Header[http.CanonicalHeaderKey(name)] = append([]string{}, values...)
	}
	return req, nil
}

func tooLarge(u *url.URL, most int64) error {
	return fault.Newf(CodeTooLarge, "the answer of %q has more than %d bytes", shown(u), most)
}
