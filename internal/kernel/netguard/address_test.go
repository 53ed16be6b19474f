package netguard

import (
	"net/netip"
	"testing"

	"pgregory.net/rapid"
)

func TestOnlyPublicAddressesArePublic(t *testing.T) {
	for addr, want := range map[string]bool{
		"1.1.1.1":               true,
		"8.8.8.8":               true,
		"140.82.121.4":          true,
		"172.15.255.255":        true,
		"172.32.0.0":            true,
		"100.63.255.255":        true,
		"100.128.0.0":           true,
		"2606:4700:4700::1111":  true,
		"2a00:1450:4001:80b::1": true,
		"0.0.0.0":               false,
		"0.1.2.3":               false,
		"10.0.0.1":              false,
		"100.64.0.1":            false,
		"127.0.0.1":             false,
		"127.255.255.254":       false,
		"169.254.169.254":       false,
		"172.16.0.1":            false,
		"172.31.255.255":        false,
		"192.0.0.9":             false,
		"192.0.2.1":             false,
		"192.88.99.1":           false,
		"192.168.1.1":           false,
		"198.18.0.1":            false,
		"198.19.255.255":        false,
		"198.51.100.7":          false,
		"203.0.113.7":           false,
		"224.0.0.1":             false,
		"239.255.255.255":       false,
		"240.0.0.1":             false,
		"255.255.255.255":       false,
		"::":                    false,
		"::1":                   false,
		"::ffff:127.0.0.1":      false,
		"::ffff:10.0.0.1":       false,
		"::ffff:8.8.8.8":        true, // the IPv4 address in another spelling
		"::127.0.0.1":           false,
		"64:ff9b::8.8.8.8":      false,
		"64:ff9b:1::a":          false,
		"100::1":                false,
		"2001::1":               false,
		"2001:20::1":            false,
		"2001:db8::1":           false,
		"2002:7f00:1::":         false,
		"3fff::1":               false,
		"5f00::1":               false,
		"fc00::1":               false,
		"fd12:3456::1":          false,
		"fe80::1":               false,
		"fec0::1":               false,
		"ff02::1":               false,
		"fe80::1%eth0":          false,
		"2606:4700::1111%eth0":  false,
	} {
		if got := Public(netip.MustParseAddr(addr)); got != want {
			t.Errorf("Public(%s) = %v", addr, got)
		}
	}
	if Public(netip.Addr{}) {
		t.Error("no address is public")
	}
}

// What the standard library itself calls special is never public.
func TestNoSpecialAddressIsPublic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "bytes")
		addr := netip.AddrFrom16([16]byte(raw))
		if rapid.Bool().Draw(t, "four") {
			addr = netip.AddrFrom4([4]byte(raw[:4]))
		}
		if !Public(addr) {
			return
		}
		if addr.IsPrivate() || addr.IsLoopback() || addr.IsMulticast() || addr.IsLinkLocalUnicast() || addr.IsUnspecified() {
			t.Fatalf("Public(%s)", addr)
		}
		if mapped := netip.AddrFrom16(addr.As16()); !Public(mapped) {
			t.Fatalf("%s is public and its IPv6 spelling is not", addr)
		}
	})
}
