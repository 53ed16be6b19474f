package netguard

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bridle/internal/kernel/fault"
)

// names is a name service with fixed answers.
type names map[string][]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	var addrs []netip.Addr
	for _, text := range n[host] {
		addrs = append(addrs, netip.MustParseAddr(text))
	}
	if len(addrs) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return addrs, nil
}

func client(t *testing.T, opts Options) *Client {
	t.Helper()
	c := New(opts)
	t.Cleanup(c.Close)
	return c
}

func local(t *testing.T) *Client { return client(t, Options{AllowLoopback: true}) }

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

func wantCode(t *testing.T, err error, code string) *fault.Error {
	t.Helper()
	if !fault.Is(err, code) {
		t.Fatalf("error = %v (%q), want code %q", err, fault.CodeOf(err), code)
	}
	return fault.From(err)
}

func TestForbiddenURLsAreRefusedBeforeAnythingIsSent(t *testing.T) {
	var asked atomic.Int32
	server := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	host := strings.TrimPrefix(server.URL, "http://")
	for _, c := range []struct {
		loopback bool
		url      string
	}{
		{false, "http://" + host},
		{false, "https://" + host},
		{false, "https://localhost:1"},
		{false, "https://[::1]:1"},
		{false, "https://10.0.0.1"},
		{false, "https://169.254.169.254/latest/meta-data"},
		{false, "https://0x7f.1/"},
		{false, "https://2130706433/"},
		{false, "https://[fe80::1%25eth0]/"},
		{false, "https://[64:ff9b::7f00:1]/"},
		{false, "https://inside.example"},
		{false, "https://mixed.example"},
		{true, "http://inside.example"},
		{true, "https://inside.example"},
		{true, "http://user:word@" + host},
		{true, "https://user@" + host},
		{true, "ftp://" + host},
		{true, "file:///etc/passwd"},
		{true, "unix:///run/docker.sock"},
		{true, "https://"},
		{true, "http:///x"},
		{true, "::"},
		{true, "http://example.com/"},
	} {
		guard := client(t, Options{AllowLoopback: c.loopback, Resolver: names{
			"localhost":      {"127.0.0.1"},
			"0x7f.1":         {"127.0.0.1"},
			"2130706433":     {"127.0.0.1"},
			"inside.example": {"192.168.0.10"},
			"mixed.example":  {"93.184.216.34", "127.0.0.1"},
		}})
		_, err := guard.Do(t.Context(), Request{URL: c.url})
		if !fault.Is(err, CodeRefused) {
			t.Errorf("%s: %v (%q)", c.url, err, fault.CodeOf(err))
		}
	}
	if asked.Load() != 0 {
		t.Fatalf("the server was asked %d times", asked.Load())
	}
}

func TestAnswerArrivesWhole(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("User-Agent") != "bridle" || r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("headers = %v", r.Header)
		}
		w.Header().Set("X-Kind", "test")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "short and stout")
	})
	got, err := local(t).Do(t.Context(), Request{URL: server.URL + "/a?token=secret"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != http.StatusTeapot || string(got.Body) != "short and stout" || got.Size != 15 ||
		got.Header.Get("X-Kind") != "test" || got.URL != server.URL+"/a" {
		t.Fatalf("answer = %+v", got)
	}
}

func TestEnvironmentProxyIsIgnored(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	t.Setenv("ALL_PROXY", "http://127.0.0.1:1")
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	if _, err := local(t).Do(t.Context(), Request{URL: server.URL}); err != nil {
		t.Fatal(err)
	}
}

// A proxy that was chosen on purpose is used for everything, and hosts that are
// inside by their text are not asked for.
func TestProxyOfTheOptionsIsUsed(t *testing.T) {
	asked := make(chan string, 8)
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Host
		w.WriteHeader(http.StatusForbidden)
	})
	u, _ := url.Parse(proxy.URL)
	guard := client(t, Options{Proxy: u, Resolver: names{}})
	if _, err := guard.Do(t.Context(), Request{URL: "https://public.example/x"}); err == nil {
		t.Fatal("a refusing proxy gave an answer")
	}
	if got := <-asked; got != "CONNECT public.example:443" {
		t.Fatalf("the proxy was asked for %q", got)
	}
	for _, host := range []string{"10.0.0.1", "127.0.0.1", "localhost", "intranet", "[::1]", "169.254.169.254"} {
		_, err := guard.Do(t.Context(), Request{URL: "https://" + host + "/"})
		wantCode(t, err, CodeRefused)
	}
	select {
	case got := <-asked:
		t.Fatalf("the proxy was asked for %q", got)
	default:
	}
}

func TestTLSIsVerified(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "in private")
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	_, err := local(t).Do(t.Context(), Request{URL: server.URL})
	wantCode(t, err, CodeTLS)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	known := client(t, Options{AllowLoopback: true, RootCAs: roots})
	got, err := known.Do(t.Context(), Request{URL: server.URL})
	if err != nil || string(got.Body) != "in private" {
		t.Fatalf("%v, %v", got, err)
	}
}

func TestBodyOverTheLimitIsRefused(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/told" {
			w.Header().Set("Content-Length", "101")
		} else {
			w.(http.Flusher).Flush() // no length is announced
		}
		_, _ = io.WriteString(w, strings.Repeat("x", 101))
	})
	for _, path := range []string{"/told", "/untold"} {
		_, err := local(t).Do(t.Context(), Request{URL: server.URL + path, MaxBytes: 100})
		wantCode(t, err, CodeTooLarge)
		if _, err := local(t).Do(t.Context(), Request{URL: server.URL + path, MaxBytes: 101}); err != nil {
			t.Fatalf("%s: exactly the limit: %v", path, err)
		}
	}
}

func TestShortBodyIsNoSuccess(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		if r.URL.Path == "/chunked" {
			_, _ = buffered.WriteString("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
		} else {
			_, _ = buffered.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
		}
		_ = buffered.Flush()
	})
	for _, path := range []string{"/length", "/chunked"} {
		_, err := local(t).Do(t.Context(), Request{URL: server.URL + path})
		wantCode(t, err, CodeIncomplete)
	}
}

func TestSilentServerIsATimeout(t *testing.T) {
	release := make(chan struct{})
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	_, err := local(t).Do(t.Context(), Request{URL: server.URL + "/?key=hidden", Timeout: time.Millisecond})
	if f := wantCode(t, err, CodeTimeout); strings.Contains(f.Message, "hidden") {
		t.Fatalf("the query is in %q", f.Message)
	}
}

func TestCancelIsCancel(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := local(t).Do(ctx, Request{URL: server.URL})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error = %v", err)
	}
}

func TestUnknownHostAndClosedPortAreUnreachable(t *testing.T) {
	_, err := client(t, Options{Resolver: names{}}).Do(t.Context(), Request{URL: "https://nowhere.example"})
	wantCode(t, err, CodeUnreachable)
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, err = local(t).Do(t.Context(), Request{URL: server.URL})
	wantCode(t, err, CodeUnreachable)
}

func TestFailureToStoreIsNotAFailureToFetch(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "data") })
	full := errors.New("disk full")
	_, err := local(t).Download(t.Context(), Request{URL: server.URL}, failing{full})
	if !errors.Is(err, full) {
		t.Fatalf("error = %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestRedirectWithinAnOriginKeepsHeaders(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/final", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, r.Header.Get("Authorization"))
	})
	got, err := local(t).Do(t.Context(), Request{URL: server.URL, Header: http.Header{"Authorization": {"Bearer x"}}})
	if err != nil || string(got.Body) != "Bearer x" {
		t.Fatalf("%v, %v", got, err)
	}
}

// A header once lost stays lost, also when the chain comes back.
func TestRedirectToAnotherOriginLosesCredentials(t *testing.T) {
	var second *httptest.Server
	seen := make(chan string, 8)
	first := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/start":
			http.Redirect(w, r, second.URL+"/there", http.StatusTemporaryRedirect)
		case "/back":
			seen <- fmt.Sprint("back ", r.Header.Get("Authorization"), r.Header.Get("X-Api-Key"), r.Header.Get("Cookie"))
		}
	})
	second = serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen <- fmt.Sprint(r.URL.Path[1:], " ", r.Header.Get("Authorization"), r.Header.Get("X-Api-Key"), r.Header.Get("Cookie"))
		w.Header().Set("Set-Cookie", "a=b")
		if r.URL.Path == "/there" {
			http.Redirect(w, r, "/again", http.StatusFound)
			return
		}
		http.Redirect(w, r, first.URL+"/back", http.StatusFound)
	})
	_, err := local(t).Do(t.Context(), Request{URL: first.URL + "/start", Header: http.Header{
		"Authorization": {"Bearer x"}, "x-api-key": {"key"}, "Cookie": {"c=d"}, "Accept": {"text/plain"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if there, again, back := <-seen, <-seen, <-seen; there != "there " || again != "again " || back != "back " {
		t.Fatalf("%q, %q, %q", there, again, back)
	}
}

func TestRedirectRules(t *testing.T) {
	other := serve(t, func(http.ResponseWriter, *http.Request) {})
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/inside":
			http.Redirect(w, r, "https://10.0.0.1/", http.StatusFound)
		case "/clear":
			http.Redirect(w, r, "http://example.com/", http.StatusFound)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/body":
			http.Redirect(w, r, other.URL, http.StatusPermanentRedirect)
		}
	})
	for _, path := range []string{"/loop", "/inside", "/clear", "/file", "/body"} {
		request := Request{URL: server.URL + path}
		if path == "/body" {
			request.Method, request.Body = http.MethodPost, []byte("client_secret=x")
		}
		_, err := local(t).Do(t.Context(), request)
		if !fault.Is(err, CodeRefused) {
			t.Errorf("%s: %v (%q)", path, err, fault.CodeOf(err))
		}
	}
	never := client(t, Options{AllowLoopback: true, MaxRedirects: -1})
	_, err := never.Do(t.Context(), Request{URL: server.URL + "/body"})
	wantCode(t, err, CodeRefused)
}

func TestRedirectDowngradeIsRefused(t *testing.T) {
	c := New(Options{AllowLoopback: true})
	defer c.Close()
	from, _ := http.NewRequest(http.MethodGet, "https://127.0.0.1/", http.NoBody)
	to, _ := http.NewRequest(http.MethodGet, "http://127.0.0.1/", http.NoBody)
	wantCode(t, c.checkRedirect(to, []*http.Request{from}), CodeRefused)
}

// The client that is handed to libraries obeys the same rules.
func TestLibraryClientIsGuarded(t *testing.T) {
	guard := client(t, Options{Resolver: names{"inside.example": {"10.1.2.3"}}})
	response, err := guard.HTTP().Get("https://inside.example/")
	if err == nil {
		_ = response.Body.Close()
	}
	wantCode(t, err, CodeRefused)
}

// A name service that changes its answer between check and use gains nothing:
// one answer is asked for, and what it says is what is dialed.
func TestNameIsResolvedOncePerConnection(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	u, _ := url.Parse(server.URL)
	flip := &flipping{}
	guard := client(t, Options{AllowLoopback: true, Resolver: flip})
	conn, err := guard.dial(t.Context(), "tcp", net.JoinHostPort("flip.example", u.Port()))
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	if flip.asked != 1 {
		t.Fatalf("asked %d times", flip.asked)
	}
	_, err = guard.dial(t.Context(), "tcp", net.JoinHostPort("flip.example", u.Port()))
	wantCode(t, err, CodeRefused)
}

type flipping struct{ asked int }

func (f *flipping) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	f.asked++
	if f.asked == 1 {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
}

func FuzzURLsNeverReachWhatIsNotPublic(f *testing.F) {
	for _, seed := range []string{
		"https://example.com/", "http://127.0.0.1", "https://[::ffff:7f00:1]/", "https://user@h/", "//h", "https://1/",
	} {
		f.Add(seed)
	}
	c := New(Options{Resolver: names{}})
	f.Fuzz(func(t *testing.T, text string) {
		u, err := url.Parse(text)
		if err != nil || c.checkURL(u) != nil {
			return
		}
		if u.Scheme != "https" || u.User != nil || u.Hostname() == "" {
			t.Fatalf("%q was let through", text)
		}
		addrs, err := c.resolve(context.Background(), u.Hostname())
		for _, addr := range addrs {
			if err == nil && !Public(addr) {
				t.Fatalf("%q leads to %s", text, addr)
			}
		}
	})
}
