package screenshot

import (
	"strings"
	"testing"
)

func TestAPictureShowsEveryCharacterInItsColumn(t *testing.T) {
	got, err := Draw("a\x1b[1mbold\x1b[0m <&>\r\n日本 12345678\n\n", 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`x="16.0" y="26" textLength="8.4" fill="#d5d8e0">a<`,
		`x="24.4" y="26" textLength="33.6" fill="#d5d8e0" font-weight="bold">bold<`,
		`x="58.0" y="26" textLength="33.6" fill="#d5d8e0"> &lt;&amp;&gt;<`,
		`y="44" textLength="84.0" fill="#d5d8e0">日本 12345<`,
		`y="62" textLength="25.2" fill="#d5d8e0">678<`,
		`width="116" height="79"`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
}

func TestAPictureLeavesNothingOut(t *testing.T) {
	for _, text := range []string{"\x1b[5mx", "\x1b[2J", "\x1b]0;x\a", "a\rb", "a\x00", "\x1b[", "\x80"} {
		if got, err := Draw(text, 80); err == nil {
			t.Errorf("%q: %s", text, got)
		}
	}
}
