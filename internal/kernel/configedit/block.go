package configedit

import (
	"errors"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Marks are the lines that enclose the part of a text file that is ours.
type Marks struct{ Begin, End string }

// find returns where the block begins and ends, line ends excluded. A text with
// one mark but not the other, or with a mark twice, is nobody's to guess about.
func (m Marks) find(text string) (start, end int, found bool, err error) {
	begins, ends := m.lines(text, m.Begin), m.lines(text, m.End)
	switch {
	case len(begins) == 0 && len(ends) == 0:
		return 0, 0, false, nil
	case len(begins) != 1 || len(ends) != 1 || ends[0] < begins[0]:
		return 0, 0, false, errors.New("the marks " + m.Begin + " and " + m.End + " do not stand once each, one after the other")
	}
	return begins[0], ends[0] + len(m.End), true, nil
}

// lines returns where lines with exactly this text begin.
func (m Marks) lines(text, want string) []int {
	var found []int
	at := 0
	for line := range strings.Lines(text) {
		start := at
		if at == 0 && strings.HasPrefix(line, byteOrderMark) {
			start = len(byteOrderMark)
		}
		if strings.TrimRight(line[start-at:], " \t\r\n") == want {
			found = append(found, start)
		}
		at += len(line)
	}
	return found
}

// SetBlock puts the marked block into the text: in the place of the one that is
// there, else at the end behind an empty line.
func (e *Edit) SetBlock(m Marks, body string) error {
	start, end, found, err := m.find(e.text)
	if err != nil {
		return err
	}
	eol := e.eol()
	block := strings.ReplaceAll(m.Begin+"\n"+strings.TrimRight(body, "\n")+"\n"+m.End, "\n", eol)
	if found {
		if e.text[start:end] != block {
			e.put(start, end, block)
		}
		return nil
	}
	before := ""
	switch {
	case e.text == "" || e.text == byteOrderMark, strings.HasSuffix(e.text, eol+eol):
	case strings.HasSuffix(e.text, "\n"):
		before = eol
	default:
		before = eol + eol
	}
	e.parts = append(e.parts, Part{Kind: PartBlock})
	e.put(len(e.text), len(e.text), before+block+eol)
	return nil
}

// removeBlock takes the marked block out, with its line end and the empty line
// before it.
func (e *Edit) removeBlock(m Marks) error {
	start, end, found, err := m.find(e.text)
	if err != nil || !found {
		return err
	}
	if rest := e.text[end:]; strings.HasPrefix(rest, "\r\n") {
		end += 2
	} else if strings.HasPrefix(rest, "\n") {
		end++
	}
	head := strings.TrimSuffix(strings.TrimSuffix(e.text[:start], "\n"), "\r")
	if strings.HasSuffix(head, "\n") {
		start = len(head)
	}
	e.put(start, end, "")
	return nil
}

// SetTOML is SetBlock for a TOML file. The file must be TOML before, and with
// the block: a table that stands in it already must not be opened again, and
// what a host refuses as a whole would be lost as a whole. The table that the block
// adds, named by its path, must be one that was not there.
func (e *Edit) SetTOML(m Marks, body string, table ...string) error {
	if _, err := readTOML(e.text); err != nil {
		return err
	}
	trial := Edit{text: e.text}
	if err := trial.SetBlock(m, body); err != nil {
		return err
	}
	value, err := readTOML(trial.text)
	if err != nil {
		return errors.New("with the block it would be no TOML: " + err.Error())
	}
	for i, name := range table {
		next, ok := value[name].(map[string]any)
		if !ok {
			return errors.New("its " + strings.Join(table[:i+1], ".") + " is no table")
		}
		value = next
	}
	return e.SetBlock(m, body)
}

func readTOML(text string) (map[string]any, error) {
	var value map[string]any
	err := toml.Unmarshal([]byte(strings.TrimPrefix(text, byteOrderMark)), &value)
	if detail, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := detail.Position()
		err = errors.New(strings.TrimPrefix(detail.Error(), "toml: ") + ", in line " + strconv.Itoa(line))
	}
	return value, err
}
