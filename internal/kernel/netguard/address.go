package netguard

import (
	"context"
	"net"
	"net/netip"
	"sync"
)

// Public reports whether addr is one that the public internet routes to.
func Public(addr netip.Addr) bool {
	if !addr.IsValid() || addr.Zone() != "" {
		return false
	}
	addr = addr.Unmap()
	if addr.Is6() && !globalUnicast6().Contains(addr) {
		return false
	}
	for _, prefix := range notPublic() {
		if prefix.Contains(addr) {
			return false
		}
	}
	return true
}

// globalUnicast6 is the only part of IPv6 that is assigned for public use.
var globalUnicast6 = sync.OnceValue(func() netip.Prefix { return netip.MustParsePrefix("2000::/3") })

// notPublic is the special-purpose registry of IANA (RFC 6890 and its
// successors), with the multicast and reserved blocks.
var notPublic = sync.OnceValue(func() []netip.Prefix {
	blocks := []string{
		"0.0.0.0/8",       // this network
		"10.0.0.0/8",      // private
		"100.64.0.0/10",   // shared, carrier-grade NAT
		"127.0.0.0/8",     // loopback
		"169.254.0.0/16",  // link-local, cloud metadata
		"172.16.0.0/12",   // private
		"192.0.0.0/24",    // protocol assignments
		"192.0.2.0/24",    // documentation
		"192.31.196.0/24", // AS112
		"192.52.193.0/24", // AMT
		"192.88.99.0/24",  // 6to4 relays
		"192.168.0.0/16",  // private
		"192.175.48.0/24", // AS112
		"198.18.0.0/15",   // benchmarking
		"198.51.100.0/24", // documentation
		"203.0.113.0/24",  // documentation
		"224.0.0.0/4",     // multicast
		"240.0.0.0/4",     // reserved, broadcast
		"2001::/23",       // protocol assignments, Teredo, ORCHID
		"2001:db8::/32",   // documentation
		"2002::/16",       // 6to4
		"2620:4f:8000::/48",
		"3fff::/20", // documentation
	}
	prefixes := make([]netip.Prefix, len(blocks))
	for i, block := range blocks {
		prefixes[i] = netip.MustParsePrefix(block)
	}
	return prefixes
})

// Resolver answers host names. net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// resolve returns the addresses of a host, all of them allowed.
func (c *Client) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	var addrs []netip.Addr
	if literal, err := netip.ParseAddr(host); err == nil {
		addrs = []netip.Addr{literal}
	} else if addrs, err = c.resolver.LookupNetIP(ctx, "ip", host); err != nil {
		return nil, err
	}
	if len(addrs) == 0 {
		return nil, &net.DNSError{Err: "no addresses", Name: host, IsNotFound: true}
	}
	for i, addr := range addrs {
		addrs[i] = addr.Unmap()
		if !c.allowed(addrs[i]) {
			return nil, refusal("the host %q is at %s, which is no public address", host, addr)
		}
	}
	return addrs, nil
}

func (c *Client) allowed(addr netip.Addr) bool {
	return Public(addr) || c.opts.AllowLoopback && addr.IsLoopback() && addr.Zone() == ""
}

// dial connects to one of the checked addresses, in the order in which the
// name service gave them.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if c.opts.Proxy != nil {
		// Every connection is one to the proxy.
		return c.dialer.DialContext(ctx, network, address)
	}
	addrs, err := c.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	var first error
	for _, addr := range addrs {
		conn, err := c.dialer.DialContext(ctx, network, net.JoinHostPort(addr.String(), port))
		if err == nil {
			return conn, nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, first
}
