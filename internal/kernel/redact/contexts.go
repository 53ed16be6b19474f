package redact

import (
	"encoding/base64"
	"strconv"
)

// contextAnchors lists the anchors of every rule that looks at what stands
// around a secret rather than at its own format.
func contextAnchors() []anchor {
	all := []anchor{
		{markerStart, false, skipMarker},
		{"-----BEGIN ", false, privateKey},
		{"Private-Lines:", false, putty},
		{"<secret>", true, tagged},
		{"eyJ", false, jwt},
		{"ewo", false, jwt},
		{`"kty"`, false, jwk},
		{"://", false, userinfo},
		{"authorization", true, authorization},
		{"bearer", true, scheme},
		{"basic", true, scheme},
		{"cookie", true, cookie},
		{"sig=", true, signed},
		{"signature=", true, signed},
		{":5432:", false, pgpass},
		{":5433:", false, pgpass},
		{":6432:", false, pgpass},
		{":*:", false, pgpass},
		{"identified by", true, identified},
		{"pass:", false, opensslPass},
		{"rabbitmqctl add_user", false, addUser(1)},
		{"rabbitmqctl change_password", false, addUser(1)},
		{"htpasswd -b", false, addUser(2)},
		{"htpasswd -nb", false, addUser(1)},
		{"htpasswd -cb", false, addUser(2)},
		{"net user", true, addUser(1)},
		{"requirepass", false, addUser(0)},
		{"masterauth", false, addUser(0)},
		{"vault login", false, addUser(0)},
	}
	// The parts of names that promise a secret.
	for _, part := range [...]string{"pass", "pwd", "pw:", "pw=", "_pw", "secret", "token", "key", "cred", "auth", "sess", "sid=", "jwt", "_pat", "psk", "bindpw"} {
		all = append(all, anchor{part, true, named})
	}
	for i := range commands {
		c := &commands[i]
		if len(c.name) >= 3 {
			all = append(all, anchor{c.name, false, c.inCommand})
		} else {
			all = append(all, anchor{c.name + " ", false, c.inCommand})
		}
	}
	// Bots of Discord are numbers in base64: what those begin with.
	seen := map[string]bool{}
	for n := 100; n < 1000; n += 10 {
		text := base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(n)))[:3]
		if !seen[text] {
			seen[text] = true
			all = append(all, anchor{text, false, discord})
		}
	}
	return all
}
