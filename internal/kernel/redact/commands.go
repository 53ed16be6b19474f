package redact

import "strings"

// command is a program that takes a secret in a short option.
type command struct {
	name  string // what the line must hold, in lower case
	flags string // options followed by the secret, in the same word or the next
	pairs string // options followed by user:secret
}

var commands = [...]command{
	{name: "mysql", flags: "-p", pairs: ""},
	{name: "mysqldump", flags: "-p"},
	{name: "mysqladmin", flags: "-p"},
	{name: "mysqlimport", flags: "-p"},
	{name: "mariadb", flags: "-p"},
	{name: "mycli", flags: "-p"},
	{name: "sshpass", flags: "-p"},
	{name: "redis-cli", flags: "-a"},
	{name: "valkey-cli", flags: "-a"},
	{name: "mongo", flags: "-p"},
	{name: "mongosh", flags: "-p"},
	{name: "mongodump", flags: "-p"},
	{name: "sqlcmd", flags: "-P"},
	{name: "bcp", flags: "-P"},
	{name: "docker login", flags: "-p"},
	{name: "podman login", flags: "-p"},
	{name: "helm registry login", flags: "-p"},
	{name: "skopeo login", flags: "-p"},
	{name: "crane auth login", flags: "-p"},
	{name: "oc login", flags: "-p"},
	{name: "cf login", flags: "-p"},
	{name: "az login", flags: "-p"},
	{name: "argocd login", flags: "-p"},
	{name: "ldapsearch", flags: "-w"},
	{name: "ldapadd", flags: "-w"},
	{name: "ldapmodify", flags: "-w"},
	{name: "ldapwhoami", flags: "-w"},
	{name: "zip", flags: "-P"},
	{name: "unzip", flags: "-P"},
	{name: "7z", flags: "-p"},
	{name: "rar", flags: "-p -hp"},
	{name: "ipmitool", flags: "-P"},
	{name: "snmpwalk", flags: "-A -X"},
	{name: "kinit", flags: "-w"},
	{name: "xfreerdp", flags: "/p:"},
	{name: "mosquitto_pub", flags: "-P"},
	{name: "mosquitto_sub", flags: "-P"},
	{name: "cqlsh", flags: "-p"},
	{name: "influx", flags: "-t"},
	{name: "ncftpput", flags: "-p"},
	{name: "impacket", flags: "-p"},
	{name: "nxc", flags: "-p"},
	{name: "hydra", flags: "-p"},
	{name: "curl", flags: "-pass", pairs: "-u --user -U --proxy-user"},
	{name: "http", pairs: "-a --auth"},
	{name: "wget", flags: ""},
	{name: "smbclient", pairs: "-U"},
	{name: "lftp", pairs: "-u"},
	{name: "siege", pairs: "-u"},
	{name: "elasticdump", pairs: "-u"},
	{name: "restic", flags: ""},
}

// inCommand looks at the words of one command line.
func (c *command) inCommand(s *scan, at, end int) {
	if s.text[end-1] == ' ' {
		end--
	}
	if at > 0 && isNameByte(s.text[at-1]) && s.text[at-1] != '-' || isNameByte(s.byteAt(end)) {
		return
	}
	if s.command == c && at < s.commanded {
		return
	}
	i := end
	defer func() { s.command, s.commanded = c, i }()
	for n := 0; n < 40 && i < len(s.text) && i-at < 2048; n++ {
		i = s.nextWord(i)
		stop := s.shellWord(i)
		if stop == i {
			return
		}
		if word := s.text[i:stop]; word[0] == '-' || word[0] == '/' {
			c.option(s, i, stop)
		}
		i = stop
	}
}

// option looks at one option and, where it is told apart from the secret, at
// the word after.
func (c *command) option(s *scan, i, stop int) {
	word := s.text[i:stop]
	for flag := range strings.FieldsSeq(c.flags) {
		if word == flag {
			next := s.nextWord(stop)
			s.secretWord(next, s.shellWord(next), c.attached())
			return
		}
		if strings.HasPrefix(word, flag) && len(word) > len(flag) && word[1] != '-' {
			from := i + len(flag)
			if s.text[from] == '=' {
				from++
			}
			s.secretWord(from, stop, false)
			return
		}
	}
	for flag := range strings.FieldsSeq(c.pairs) {
		from, to := i+len(flag), stop
		switch {
		case word == flag:
			from = s.nextWord(stop)
			to = s.shellWord(from)
		case !strings.HasPrefix(word, flag) || flag[1] == '-' && word[len(flag)] != '=':
			continue
		case s.text[from] == '=':
			from++
		}
		if n := strings.IndexAny(s.text[from:to], ":%,"); n >= 0 {
			s.secretWord(from+n+1, to, false)
		}
		return
	}
}

// attached reports whether the secret must stand in the option's own word: the
// word after mysql -p is a database.
func (c *command) attached() bool {
	return strings.HasPrefix(c.name, "mysql") || c.name == "mariadb" || c.name == "mycli" || c.name == "7z" || c.name == "rar"
}

func (s *scan) secretWord(from, to int, never bool) {
	for from < to && strings.IndexByte("\"'\\", s.text[from]) >= 0 {
		from++
	}
	for to > from && strings.IndexByte("\"'\\,)", s.text[to-1]) >= 0 {
		to--
	}
	v := s.text[from:to]
	if never || len(v) < 4 || v[0] == '-' || isPlaceholder(v) || isReference(v) || isCommonWord(v) || isNumber(v) && len(v) < 6 || isPath(v) && !looksRandom(v, 8) {
		return
	}
	s.add(from, to, KindCredential, "command")
	s.skip = max(s.skip, to)
}

// nextWord skips blanks and continued lines.
func (s *scan) nextWord(i int) int {
	for i < len(s.text) {
		switch {
		case isSpace(s.text[i]), s.text[i] == ',' && i > 0 && s.text[i-1] == '"', s.text[i] == ',' && i > 0 && s.text[i-1] == '\'':
			i++
		case strings.HasPrefix(s.text[i:], "\\\n"):
			i += 2
		case strings.HasPrefix(s.text[i:], "\", \""), strings.HasPrefix(s.text[i:], "', '"):
			i += 4
		default:
			return i
		}
	}
	return i
}

// shellWord is the end of a word of a command, quotes included; empty at the
// end of the command.
func (s *scan) shellWord(i int) int {
	end := i
	for end < len(s.text) && end-i < 1024 {
		switch c := s.text[end]; {
		case c <= ' ' || strings.IndexByte("|;&<>)`", c) >= 0:
			return end
		case c == '"' || c == '\'':
			if end > i && (s.byteAt(end+1) == ',' || s.byteAt(end+1) == ']') {
				return end
			}
			n := strings.IndexByte(s.text[end+1:min(len(s.text), end+1024)], c)
			if n < 0 || strings.IndexByte(s.text[end+1:end+1+n], '\n') >= 0 {
				return end
			}
			end += n + 2
		default:
			end++
		}
	}
	return end
}

// identified looks at IDENTIFIED BY 'x' and at pass:x of openssl.
func identified(s *scan, at, end int) {
	if at < s.skip {
		return
	}
	i := s.spaces(end)
	if foldsTo(pad(s.text[i:min(len(s.text), i+9)], 9), "password ") {
		i = s.spaces(i + 9)
	}
	if v, ok := s.literal(i); ok {
		s.check(field{v.from, v.to, asForced}, passwordName, at)
	}
}

func opensslPass(s *scan, at, end int) {
	before := s.lineBefore(at, 200)
	if strings.Contains(before, "openssl") || strings.Contains(before, "-pass") {
		s.secretWord(end, s.shellWord(end), false)
	}
}

// htpasswd looks at its password, which -b puts on the command line: after the
// user, after the file unless -n says that there is none.
func htpasswd(s *scan, at, end int) {
	i := s.nextWord(end)
	flags := ""
	for s.byteAt(i) == '-' {
		stop := s.shellWord(i)
		flags += s.text[i:stop]
		i = s.nextWord(stop)
	}
	switch {
	case !strings.Contains(flags, "b"):
	case strings.Contains(flags, "n"):
		addUser(1)(s, at, i)
	default:
		addUser(2)(s, at, i)
	}
}

// addUser looks at the password after a user's name: rabbitmqctl add_user,
// htpasswd -b file user, net user.
func addUser(skip int) func(s *scan, at, end int) {
	return func(s *scan, _, end int) {
		i := end
		for n := 0; n < skip; {
			i = s.nextWord(i)
			stop := s.shellWord(i)
			if stop == i {
				return
			}
			if s.text[i] != '-' {
				n++
			}
			i = stop
		}
		i = s.nextWord(i)
		if to := s.shellWord(i); to > i && s.text[i] != '/' {
			s.secretWord(i, to, false)
		}
	}
}
