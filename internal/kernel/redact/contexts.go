package redact

import (
	"encoding/base64"
	"strconv"
)

// contextAnchors lists the anchors of every rule that looks at what stands
// around a secret rather than at its own format.
func contextAnchors() []anchor {
	all := []anchor{
		{text: markerStart, look: skipMarker},
		{text: "-----BEGIN ", look: privateKey},
		{text: "-----BEGIN%20", look: encodedKey},
		{text: "-----BEGIN+", look: encodedKey},
		{text: "%2D%2DBEGIN", look: encodedKey},
		{text: "%2d%2dBEGIN", look: encodedKey},
		{text: "Private-Lines:", look: putty},
		{text: "<secret>", fold: true, look: tagged},
		{text: "eyJ", look: jwt},
		{text: "ewo", look: jwt},
		{text: `"kty"`, look: jwk},
		{text: "://", look: userinfo},
		{text: "authorization", fold: true, look: authorization},
		{text: "bearer", fold: true, look: scheme},
		{text: "basic", fold: true, look: scheme},
		{text: "cookie", fold: true, look: cookie},
		{text: "sig=", fold: true, look: signed},
		{text: "signature=", fold: true, look: signed},
		{text: ":5432:", look: pgpass},
		{text: ":5433:", look: pgpass},
		{text: ":6432:", look: pgpass},
		{text: ":*:", look: pgpass},
		{text: "identified by", fold: true, look: identified},
		{text: "pass:", look: opensslPass},
		{text: "rabbitmqctl add_user", look: addUser(1)},
		{text: "rabbitmqctl change_password", look: addUser(1)},
		{text: "htpasswd", look: htpasswd},
		{text: "@tcp(", look: dsn},
		{text: "@unix(", look: dsn},
		{text: "net user", fold: true, look: addUser(1)},
		{text: "requirepass", look: addUser(0)},
		{text: "masterauth", look: addUser(0)},
		{text: "vault login", look: addUser(0)},
		{text: "openssl passwd", look: hashed},
		{text: "sqlplus ", look: userSlash},
		{text: "oracle:thin:", fold: true, look: userSlash},
		{text: "chpasswd", look: piped},
		{text: "sudo -S", look: piped},
		{text: "-stdin", look: piped},
		{text: "send ", look: sent},
		{text: "send(", look: sent},
		{text: "sendline(", look: sent},
	}
	// The parts of names that promise a secret.
	for _, part := range [...]string{"pass", "pwd", "pw:", "pw=", "_pw", "secret", "token", "key", "cred", "auth", "sess", "sid=", "jwt", "_pat", "psk", "bindpw"} {
		all = append(all, anchor{text: part, fold: true, look: named})
	}
	for i := range commands {
		c := &commands[i]
		if len(c.name) >= 3 {
			all = append(all, anchor{text: c.name, look: c.inCommand})
		} else {
			all = append(all, anchor{text: c.name + " ", look: c.inCommand})
		}
	}
	// Bots of Discord are numbers in base64: what those begin with.
	seen := map[string]bool{}
	for n := 100; n < 1000; n += 10 {
		text := base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(n)))[:3]
		if !seen[text] {
			seen[text] = true
			all = append(all, anchor{text: text, look: discord})
		}
	}
	return all
}
