package credential

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"
)

// gzipMagic begins what gzip packs; so do its base64 and its hexadecimal.
var gzipMagic = []byte{0x1f, 0x8b, 0x08}

// packed looks into what gzip packed, wherever it begins.
func (l *look) packed(data []byte, depth int) bool {
	for at := 0; ; at++ {
		next := bytes.Index(data[at:], gzipMagic)
		if next < 0 {
			return false
		}
		if l.tries++; l.tries > maxTries {
			return true
		}
		at += next
		if plain, ok := l.gunzip(bytes.NewReader(data[at:])); !ok || plain != nil && l.bytes(plain, depth+1) {
			return true
		}
	}
}

// gunzip unpacks data within the budget. It returns nil for what only looks like
// gzip, and not ok for what is too large.
func (l *look) gunzip(data io.Reader) (plain []byte, ok bool) {
	reader, err := gzip.NewReader(data)
	if err != nil {
		return nil, true
	}
	return l.unpack(reader)
}

// unpack reads what a reader unpacks, within the budget; also the part before the
// place where it is damaged.
func (l *look) unpack(reader io.Reader) (plain []byte, ok bool) {
	plain, err := io.ReadAll(io.LimitReader(reader, int64(l.budget)+1))
	if len(plain) > l.budget {
		return nil, false
	}
	if err != nil && len(plain) == 0 {
		return nil, true
	}
	return plain, true
}

// deflated looks into what zlib packed, and into the same without the two bytes
// before it and the checksum after it. The latter begins like anything else, so it
// counts only when it is whole, and only for what it says itself.
func (l *look) deflated(data []byte, depth int) bool {
	if isZlib(data) {
		plain, ok := l.unpack(l.inflate(bytes.NewReader(data[2:])))
		return !ok || plain != nil && l.bytes(plain, depth+1)
	}
	rest := bytes.NewReader(data)
	reader := l.inflate(rest)
	plain, err := io.ReadAll(io.LimitReader(reader, int64(l.budget)+1))
	if len(plain) > l.budget {
		return true
	}
	if err != nil || rest.Len() > 0 {
		return false
	}
	l.budget -= len(plain)
	return l.InBytes(plain)
}

// isZlib reports whether data begins with a header of zlib that needs no
// dictionary (RFC 1950).
func isZlib(data []byte) bool {
	const deflate, dictionary = 8, 0x20
	return len(data) > 2 && data[0]&0x0f == deflate && data[0]>>4 <= 7 && data[1]&dictionary == 0 &&
		(int(data[0])<<8|int(data[1]))%31 == 0
}

// inflate unpacks what deflate packed. There is one such reader for all.
func (l *look) inflate(data *bytes.Reader) io.Reader {
	if l.inflater == nil {
		l.inflater = flate.NewReader(data)
		return l.inflater
	}
	if again, ok := l.inflater.(flate.Resetter); ok && again.Reset(data, nil) == nil {
		return l.inflater
	}
	return flate.NewReader(data)
}

// attached yields what stands in a text from where an attachment seems to begin.
// It is not ok when there are too many to look at. However many begin in one
// stretch of an encoding, its end is looked for once.
func attached(text string) (found []string, ok bool) {
	end := 0
	add := func(at int) bool {
		if at >= end {
			end = at + len(run(text[at:]))
		}
		found = append(found, text[at:end])
		return len(found) <= maxAttached
	}
	for _, begin := range []string{"H4sI", "1f8b08", "1F8B08"} {
		end = 0
		for from := 0; ; from += len(begin) {
			at := strings.Index(text[from:], begin)
			if at < 0 {
				break
			}
			if from += at; !add(from) {
				return nil, false
			}
		}
	}
	end = 0
	// The beginning of zlib is too short to be looked for within a word.
	for at := range len(text) {
		if (at > 0 && isEncoding(rune(text[at-1])) && text[at-1] > ' ') || !beginsZlib(text[at:]) {
			continue
		}
		if !add(at) {
			return nil, false
		}
	}
	return found, true
}

// beginsZlib reports whether a text begins like zlib in base64 or hexadecimal.
func beginsZlib(text string) bool {
	if text[0] != 'e' && text[0] != '7' || len(text) < shortest || len(run(text[:shortest])) < shortest {
		return false
	}
	for _, decoded := range decode(text[:8]) {
		if isZlib(decoded) && decoded[0] == 0x78 {
			return true
		}
	}
	return false
}

// run is how far a text goes on in the characters of base64 and hexadecimal.
func run(text string) string {
	if end := strings.IndexFunc(text, func(r rune) bool { return !isEncoding(r) }); end >= 0 {
		return text[:end]
	}
	return text
}

func isEncoding(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+/-_\r\n", r)
}

// encoded looks at what a text encodes as a whole, and at attachments in it. An
// attachment is unpacked as far as it goes: many may begin in one long stretch of
// text, and each would be decoded to the end of it for nothing.
func (l *look) encoded(text string, depth int) bool {
	if len(text) < shortest {
		return false
	}
	parts, ok := attached(text)
	if !ok {
		return true
	}
	for _, part := range parts {
		if l.attachment(part, depth) {
			return true
		}
	}
	for _, decoded := range decode(text) {
		if l.bytes(decoded, depth+1) {
			return true
		}
	}
	return l.within(text, depth)
}

// within looks at what single words of a text encode, at all of them at once: an
// encoding within an encoding shows in none of the forms.
func (l *look) within(text string, depth int) bool {
	var all []byte
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r <= ' ' || !isEncoding(r) }) {
		if len(word) < shortest || len(word) == len(text) {
			continue
		}
		for _, decoded := range decode(word) {
			all = append(append(all, decoded...), '\n')
		}
	}
	return len(all) > 0 && l.bytes(all, depth+1)
}

// attachment looks into what was packed and then encoded.
func (l *look) attachment(text string, depth int) bool {
	data := bufio.NewReader(decoder(text))
	magic, err := data.Peek(len(gzipMagic))
	if err != nil {
		return false
	}
	var plain []byte
	ok := true
	if bytes.Equal(magic, gzipMagic) {
		plain, ok = l.gunzip(data)
	} else if _, err := data.Discard(2); err == nil { // zlib's header
		plain, ok = l.unpack(flate.NewReader(data))
	}
	return !ok || plain != nil && l.bytes(plain, depth+1)
}

// decoder reads what a text says in hexadecimal or base64, whose beginning tells
// which it is: none of the latter that is looked for begins with a digit.
func decoder(text string) io.Reader {
	bare := &letters{text}
	if text[0] >= '0' && text[0] <= '9' {
		return hex.NewDecoder(bare)
	}
	return base64.NewDecoder(base64.RawStdEncoding, bare)
}

// letters reads a text without its line ends, and in base64's first alphabet.
type letters struct{ rest string }

func (l *letters) Read(p []byte) (n int, err error) {
	for n < len(p) && l.rest != "" {
		c := l.rest[0]
		l.rest = l.rest[1:]
		switch c {
		case '\r', '\n':
			continue
		case '-':
			c = '+'
		case '_':
			c = '/'
		}
		p[n] = c
		n++
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}
