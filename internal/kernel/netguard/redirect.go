package netguard

import (
	"net/http"
	"net/url"
	"strings"
)

// keptAcross are the headers that a redirect to another origin keeps. All
// others may be meant for the first origin alone.
func keptAcross(name string) bool {
	switch name {
	case "Accept", "Accept-Language", "User-Agent", "Range":
		return true
	}
	return false
}

// checkRedirect decides about one redirect. net/http has copied the first
// request's headers to req already, as it does for every hop, so what an
// earlier hop lost must be taken away again.
func (c *Client) checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > max(c.opts.MaxRedirects, 0) {
		return refusal("%q redirects more than %d times", shown(via[0].URL), max(c.opts.MaxRedirects, 0))
	}
	if via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return refusal("%q redirects away from https", shown(via[len(via)-1].URL))
	}
	crossed := false
	for _, earlier := range via {
		crossed = crossed || origin(earlier.URL) != origin(req.URL)
	}
	if !crossed {
		return nil
	}
	if req.Body != nil && req.Body != http.NoBody || req.ContentLength > 0 {
		return refusal("%q redirects a request with a body to another host", shown(via[0].URL))
	}
	for name := range req.Header {
		if !keptAcross(name) {
			delete(req.Header, name)
		}
	}
	return nil
}

// origin is scheme, host and port.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
