package git

import (
	"bytes"
)

// conversion is how the bytes of a file change on the way between the working
// tree and the repository. Line ends and "$Id$" are done here; programs and
// encodings by git.
type conversion struct {
	ends   lineEnds
	ident  bool
	filter string // the name of the driver
	recode bool
}

// lineEnds is what attributes and settings together say about line ends.
type lineEnds uint8

const (
	endsAsTheyAre lineEnds = iota
	endsText               // LF in the repository; here as the system has them
	endsTextLF
	endsTextCRLF
	endsAuto // the same for what looks like text
	endsAutoLF
	endsAutoCRLF
)

// endSettings are the settings that count where attributes leave it open.
type endSettings struct {
	autocrlf string // "true", "input", or ""
	crlf     bool   // the end of lines here, where text has no eol
}

func (c conversion) plain() bool {
	return c.ends == endsAsTheyAre && !c.ident && c.filter == "" && !c.recode
}

// conversionOf decides from the attributes of a path.
func conversionOf(a attributes, s endSettings) conversion {
	ends, decided := textOf(a.text)
	if !decided {
		ends, decided = textOf(a.crlf)
	}
	if !decided || ends != endsAsTheyAre {
		ends = withEnd(ends, a.eol)
	}
	switch {
	case decided || ends != endsAsTheyAre:
	case s.autocrlf == "true":
		ends = endsAutoCRLF
	case s.autocrlf == "input":
		ends = endsAutoLF
	}
	c := conversion{ends: ends.here(s), ident: a.ident.state == set}
	if a.filter.state == valued {
		c.filter = a.filter.value
	}
	c.recode = a.encoding.state == valued && !isUTF8(a.encoding.value)
	return c
}

// textOf says whether the attribute decides, and what.
func textOf(a attribute) (ends lineEnds, decided bool) {
	switch {
	case a.state == set:
		return endsText, true
	case a.state == unset:
		return endsAsTheyAre, true
	case a.state == valued && a.value == "auto":
		return endsAuto, true
	case a.state == valued && a.value == "input":
		return endsTextLF, true
	}
	return endsAsTheyAre, false
}

func withEnd(ends lineEnds, eol attribute) lineEnds {
	if eol.state != valued || eol.value != "lf" && eol.value != "crlf" {
		return ends
	}
	lf := eol.value == "lf"
	switch {
	case ends == endsAuto && lf:
		return endsAutoLF
	case ends == endsAuto:
		return endsAutoCRLF
	case lf:
		return endsTextLF
	}
	return endsTextCRLF
}

// here replaces "as the system has them".
func (e lineEnds) here(s endSettings) lineEnds {
	crlf := s.crlf
	switch s.autocrlf {
	case "true":
		crlf = true
	case "input":
		crlf = false
	}
	switch {
	case e == endsText && crlf:
		return endsTextCRLF
	case e == endsText:
		return endsTextLF
	case e == endsAuto && crlf:
		return endsAutoCRLF
	case e == endsAuto:
		return endsAutoLF
	}
	return e
}

func (e lineEnds) auto() bool { return e >= endsAuto }

func isUTF8(encoding string) bool {
	return encoding == "" || equalFold(encoding, "utf-8", true) || equalFold(encoding, "utf8", true)
}

// textStats is what git counts to tell text from other files.
type textStats struct {
	nul, loneCR, loneLF, crlf, printable, other int
}

func statsOf(data []byte) textStats {
	var s textStats
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '\r' && i+1 < len(data) && data[i+1] == '\n':
			s.crlf++
			i++
		case c == '\r':
			s.loneCR++
		case c == '\n':
			s.loneLF++
		case c == 0:
			s.nul++
			s.other++
		case c == '\b' || c == '\t' || c == 0x1b || c == '\f':
			s.printable++
		case c < ' ' || c == 0x7f:
			s.other++
		default:
			s.printable++
		}
	}
	if len(data) > 0 && data[len(data)-1] == 0x1a {
		s.other-- // the end mark of old systems
	}
	return s
}

func (s textStats) binary() bool {
	return s.loneCR > 0 || s.nul > 0 || s.printable>>7 < s.other
}

// toRepository converts the bytes of a file. before returns the bytes that the
// repository has for it so far: a file that is stored with CRLF stays so.
func (c conversion) toRepository(data []byte, before func() []byte) []byte {
	if c.ends != endsAsTheyAre && bytes.Contains(data, []byte("\r\n")) {
		data = c.linesToRepository(data, before)
	}
	if c.ident {
		data = identToRepository(data)
	}
	return data
}

func (c conversion) linesToRepository(data []byte, before func() []byte) []byte {
	if c.ends.auto() {
		if statsOf(data).binary() {
			return data
		}
		if old := before(); bytes.IndexByte(old, '\r') >= 0 {
			if s := statsOf(old); !s.binary() && s.crlf > 0 {
				return data
			}
		}
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}

// toWorktree converts the bytes of the repository.
func (c conversion) toWorktree(data []byte, id OID) []byte {
	if c.ident {
		data = identToWorktree(data, id)
	}
	if c.ends != endsTextCRLF && c.ends != endsAutoCRLF || len(data) == 0 {
		return data
	}
	s := statsOf(data)
	if s.loneLF == 0 || c.ends == endsAutoCRLF && (s.loneCR > 0 || s.crlf > 0 || s.binary()) {
		return data
	}
	out := make([]byte, 0, len(data)+s.loneLF)
	for i, b := range data {
		if b == '\n' && (i == 0 || data[i-1] != '\r') {
			out = append(out, '\r')
		}
		out = append(out, b)
	}
	return out
}

// identToRepository shortens "$Id: anything$" on one line to "$Id$".
func identToRepository(data []byte) []byte {
	if !bytes.Contains(data, []byte("$Id:")) {
		return data
	}
	out := make([]byte, 0, len(data))
	for {
		dollar := bytes.IndexByte(data, '$')
		if dollar < 0 {
			return append(out, data...)
		}
		out, data = append(out, data[:dollar+1]...), data[dollar+1:]
		if len(data) <= 3 || !bytes.HasPrefix(data, []byte("Id:")) {
			continue
		}
		end := bytes.IndexByte(data[3:], '$')
		if end < 0 {
			return append(out, data...)
		}
		if bytes.IndexByte(data[3:3+end], '\n') >= 0 {
			continue
		}
		out, data = append(out, "Id$"...), data[3+end+1:]
	}
}

// identToWorktree writes the id of the blob into "$Id$". A mark that another
// system has filled in, with blanks in its middle, stays.
func identToWorktree(data []byte, id OID) []byte {
	if !bytes.Contains(data, []byte("$Id")) {
		return data
	}
	var out []byte
	for {
		dollar := bytes.IndexByte(data, '$')
		if dollar < 0 {
			return append(out, data...)
		}
		out, data = append(out, data[:dollar+1]...), data[dollar+1:]
		if len(data) < 3 || !bytes.HasPrefix(data, []byte("Id")) {
			continue
		}
		switch data[2] {
		case '$':
			data = data[3:]
		case ':':
			end := bytes.IndexByte(data[3:], '$')
			if end < 0 {
				return append(out, data...)
			}
			text := data[3 : 3+end]
			if bytes.IndexByte(text, '\n') >= 0 {
				continue
			}
			if space := bytes.IndexByte(text[min(1, len(text)):], ' '); space >= 0 && space < len(text)-2 {
				continue // foreign
			}
			data = data[3+end+1:]
		default:
			continue
		}
		out = append(out, "Id: "+string(id)+" $"...)
	}
}
