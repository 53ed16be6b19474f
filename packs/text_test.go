package packs

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever bytes a name or a message holds, the text that a pack prints for them is
// JSON and reads as Unicode recommends: one U+FFFD for every maximal piece of an
// ill-formed sequence.
func TestAnyBytesBecomeTheJSONTextThatUnicodeRecommends(t *testing.T) {
	needs(t, "sh", "od", "awk")
	text, err := filepath.Abs(filepath.Join("git", "lib", "text.awk"))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"a", "\x01", "\n", "\"", "\\", "\x7f", "é", "€", "😀", "\u2028", "\xc2", "\xc1", "\xe0", "\xe2", "\xed", "\xf0", "\xf4", "\xf5", "\xff", "\x80", "\x8f", "\x90", "\x9f", "\xa0", "\xbf"}
	words := make([]string, 4000)
	var input bytes.Buffer
	for i := range words {
		var word strings.Builder
		for range random.IntN(9) {
			word.WriteString(alphabet[random.IntN(len(alphabet))])
		}
		words[i] = word.String()
		input.WriteString(words[i] + "\x00")
	}
	cmd := exec.Command("sh", "-c", `od -An -v -tx1 | LC_ALL=C awk -f "$0" -f /dev/fd/3 3<<'PROGRAM'
BEGIN { text_init() }
{
  for (b = 1; b <= NF; b++) {
    if ($b == "00") { print "\"" word text_end() "\""; word = "" }
    else word = word text_byte($b)
  }
}
PROGRAM`, text)
	cmd.Stdin = &input
	output, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(output), "\n"), "\n")
	if len(lines) != len(words) {
		t.Fatalf("%d words came back as %d lines", len(words), len(lines))
	}
	for i, word := range words {
		var got string
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil || got != recommended(word) {
			t.Errorf("%q became %s (%v), want %q", word, lines[i], err, recommended(word))
		}
	}
}

func recommended(word string) string {
	var out strings.Builder
	for len(word) > 0 {
		r, size := utf8.DecodeRuneInString(word)
		if r == utf8.RuneError && size == 1 {
			for size < len(word) && beginsSequence(word[:size+1]) {
				size++
			}
		}
		out.WriteRune(r)
		word = word[size:]
	}
	return out.String()
}

// beginsSequence reports whether some continuation makes the bytes one character.
func beginsSequence(start string) bool {
	for _, next := range []string{"\x80", "\x90", "\xa0", "\xbf"} {
		for _, rest := range []string{"", "\x80", "\x80\x80"} {
			if whole := start + next + rest; utf8.ValidString(whole) && utf8.RuneCountInString(whole) == 1 {
				return true
			}
		}
	}
	return false
}
