// Package netguard is the only outbound HTTP client.
//
// Invariants, for every request and every redirect of it:
//
//   - The scheme is https. Plain http is for loopback addresses alone, and
//     those only when the options allow them.
//   - Every address that a host name resolves to is a public one; if one of
//     them is not, nothing is dialed. The address that is dialed is one of
//     those that were checked, so a second answer of the name service changes
//     nothing. Private, shared, loopback, link-local, unique-local, multicast,
//     documentation, benchmarking, reserved, translated (NAT64, 6to4, Teredo)
//     and zoned addresses are not public.
//   - No proxy is taken from the environment, only from the options. There are
//     no cookies, and no credentials in URLs.
//   - A redirect to another origin (scheme, host and port) loses every header
//     but a few harmless ones, for good, and is refused where it would carry a
//     body. Redirects are few.
//   - TLS is verified, from version 1.2 on.
//   - Size and time are bounded. A body that is shorter than announced is an
//     error, never a short success.
//
// Messages name URLs without their query, which may hold secrets.
package netguard
