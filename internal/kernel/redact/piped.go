package redact

import "strings"

// piped looks at what a command line gives to a program that reads a password on
// standard input: echo X | sudo -S, echo user:X | chpasswd, --password-stdin <<< X.
func piped(s *scan, at, end int) {
	if i := s.nextWord(end); strings.HasPrefix(s.text[i:], "<<<") {
		i = s.nextWord(i + 3)
		s.secretWord(i, s.shellWord(i), false)
		return
	}
	before := s.lineBefore(at, 512)
	pipe := strings.LastIndexByte(before, '|')
	if pipe < 0 {
		return
	}
	line := strings.TrimRight(before[:pipe], " ")
	from := max(strings.LastIndex(line, "echo "), strings.LastIndex(line, "printf "), strings.LastIndex(line, "print "))
	if from < 0 {
		return
	}
	// The last word that was printed.
	word := strings.TrimSuffix(strings.TrimRight(line[from:], "\"'"), "\\n")
	begin := strings.LastIndexAny(word, " \"'") + 1
	to := at - len(before) + from + len(word)
	start := to - len(word) + begin
	if user := strings.IndexByte(s.text[start:to], ':'); user >= 0 {
		start += user + 1
	}
	s.secretWord(start, to, false)
}

// userSlash looks at user/X@where of Oracle's programs.
func userSlash(s *scan, _, end int) {
	i := s.nextWord(end)
	word := s.text[i:s.shellWord(i)]
	slash, host := strings.IndexByte(word, '/'), strings.LastIndexByte(word, '@')
	if slash > 0 && host > slash {
		s.secretWord(i+slash+1, i+host, false)
	}
}

// hashed looks at what openssl passwd hashes, behind its options.
func hashed(s *scan, _, end int) {
	i := s.nextWord(end)
	for s.byteAt(i) == '-' && s.byteAt(i+1) != 's' { // -salt and -stdin take other things
		i = s.nextWord(s.shellWord(i))
	}
	s.secretWord(i, s.shellWord(i), false)
}
