package conformance

import (
	"encoding/json"
	"io"
	"testing"

	"bridle/internal/kernel/canon"
)

func newPipe() (*io.PipeReader, *io.PipeWriter) { return io.Pipe() }

func TestExpectationsHoldForWhatTheySay(t *testing.T) {
	const answer = `{"ok":true,"n":2.80,"big":123456789012345678901234567890,"text":"one two","none":null,"list":[1,{"a":1,"b":2},"x"],"a/b":{"~":0}}`
	kept := answers{"first": map[string]any{"n": json.Number("2.8")}}
	for _, c := range []struct {
		expect string
		holds  bool
	}{
		{`{"exact":{"/ok":true}}`, true},
		{`{"exact":{"/ok":"true"}}`, false},
		{`{"exact":{"/nothing":null}}`, false},
		{`{"exact":{"/none":null}}`, true},
		{`{"exact":{"/n":2.8}}`, true},
		{`{"exact":{"/n":2.81}}`, false},
		{`{"exact":{"/big":123456789012345678901234567890}}`, true},
		{`{"exact":{"/big":123456789012345678901234567891}}`, false},
		{`{"exact":{"/list/1/b":2}}`, true},
		{`{"exact":{"/list/7":2}}`, false},
		{`{"exact":{"/list/-1":2}}`, false},
		{`{"exact":{"/a~1b/~0":0}}`, true},
		{`{"exact":{"ok":true}}`, false},
		{`{"contains":{"/text":"e t"}}`, true},
		{`{"contains":{"/text":"three"}}`, false},
		{`{"contains":{"/text":1}}`, false},
		{`{"contains":{"/list":{"a":1}}}`, true},
		{`{"contains":{"/list":{"a":2}}}`, false},
		{`{"contains":{"/list":"x"}}`, true},
		{`{"contains":{"/list":"on"}}`, false},
		{`{"contains":{"/list/1":{"a":1,"c":1}}}`, false},
		{`{"contains":{"/ok":true}}`, false},
		{`{"contains":{"/nothing":"x"}}`, false},
		{`{"absent":["/nothing","/none","/list/9"]}`, true},
		{`{"absent":["/ok"]}`, false},
		{`{"present":["/ok","/list/0"]}`, true},
		{`{"present":["/none"]}`, false},
		{`{"present":["/nothing"]}`, false},
		{`{"without":["three"]}`, true},
		{`{"without":["two"]}`, false},
		{`{"without":["tex"]}`, false},
		{`{"same":{"/n":"first#/n"}}`, true},
		{`{"same":{"/ok":"first#/n"}}`, false},
		{`{"same":{"/nothing":"first#/nothing"}}`, false},
		{`{"same":{"/n":"second#/n"}}`, false},
	} {
		var e Expect
		if err := canon.Decode([]byte(c.expect), &e, canon.Limits{}); err != nil {
			t.Fatal(err)
		}
		if _, wrong := e.check([]byte(answer), kept); len(wrong) == 0 != c.holds {
			t.Errorf("%s: %q", c.expect, wrong)
		}
	}
}

func TestMergePatchFollowsItsRFC(t *testing.T) {
	for _, c := range [][3]string{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":"foo"}`, `null`, `null`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	} {
		if got := merged(parsed([]byte(c[0])), parsed([]byte(c[1]))); !equal(got, parsed([]byte(c[2]))) {
			t.Errorf("%s with %s is %v", c[0], c[1], got)
		}
	}
}
