package host

import (
	"errors"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// marks enclose the part of a text file that is ours.
type marks struct{ begin, end string }

var (
	markdownMarks = marks{"<!-- BEGIN HCP -->", "<!-- END HCP -->"}
	tomlMarks     = marks{"# BEGIN HCP", "# END HCP"}
)

// find returns where the block begins and ends, line ends excluded. A text with
// one mark but not the other, or with a mark twice, is nobody's to guess about.
func (m marks) find(text string) (start, end int, found bool, err error) {
	begins, ends := m.lines(text, m.begin), m.lines(text, m.end)
	switch {
	case len(begins) == 0 && len(ends) == 0:
		return 0, 0, false, nil
	case len(begins) != 1 || len(ends) != 1 || ends[0] < begins[0]:
		return 0, 0, false, errors.New("the marks " + m.begin + " and " + m.end + " do not stand once each, one after the other")
	}
	return begins[0], ends[0] + len(m.end), true, nil
}

// lines returns where lines with exactly this text begin.
func (m marks) lines(text, want string) []int {
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

// setBlock puts the marked block into the text: in the place of the one that is
// there, else at the end behind an empty line.
func (e *edit) setBlock(m marks, body string) error {
	start, end, found, err := m.find(e.text)
	if err != nil {
		return err
	}
	eol := e.eol()
	block := strings.ReplaceAll(m.begin+"\n"+strings.TrimRight(body, "\n")+"\n"+m.end, "\n", eol)
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
func (e *edit) removeBlock(m marks) error {
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

// setTOML is setBlock for a TOML file. The file must be TOML before, and with
// the block: a table that stands in it already must not be opened again, and
// what a host refuses as a whole would be lost as a whole.
func (e *edit) setTOML(body string) error {
	if _, err := readTOML(e.text); err != nil {
		return err
	}
	trial := edit{text: e.text}
	if err := trial.setBlock(tomlMarks, body); err != nil {
		return err
	}
	value, err := readTOML(trial.text)
	if err != nil {
		return errors.New("with the block it would be no TOML: " + err.Error())
	}
	if servers, ok := value["mcp_servers"].(map[string]any); !ok || servers["hcp"] == nil {
		return errors.New("its mcp_servers is no table")
	}
	return e.setBlock(tomlMarks, body)
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
