package main

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestJoined: indented JSON becomes one equivalent line, wherever the writes are split.
func TestJoined(t *testing.T) {
	const text = "{\n  \"a\": \"  two  \\n  blanks\",\n  \"b\": [\n    1,\n    2\n  ]\n}\n"
	const want = `{"a": "  two  \n  blanks","b": [1,2]}`
	for cut := 1; cut <= len(text); cut++ {
		var out bytes.Buffer
		j := &joined{to: &out}
		for at := 0; at < len(text); at += cut {
			p := []byte(text[at:min(at+cut, len(text))])
			if n, err := j.Write(p); n != len(p) || err != nil {
				t.Fatal(n, err)
			}
		}
		if out.String() != want || !json.Valid(out.Bytes()) {
			t.Errorf("cut at %d: %s, want %s", cut, out.String(), want)
		}
	}
}
