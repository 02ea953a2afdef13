package main

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

// TestShown: the output for any name is printable and unambiguous.
func TestShown(t *testing.T) {
	for in, want := range map[string]string{
		"saxpy": "saxpy", "größe 2": "größe 2", "": "",
		"a\x1b]0;title\x07b": `a\x1b]0;title\x07b`, "a\nb\tc\r": `a\nb\tc\x0d`, "\x7f": `\x7f`,
		"\u009b2J": `\u009b2J`, "\u202egnp": `\u202egnp`, "\xff\xc3": `\xff\xc3`, "\U000e0041": `\U000e0041`, "\ufffd": "\ufffd",
	} {
		if got := shown(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := shownText("a\n\tb\x1b\n"); got != "a\n\tb\\x1b\n" {
		t.Errorf("%q", got)
	}
}

// TestQuietJSON: the JSON is equivalent, and does not control a terminal.
func TestQuietJSON(t *testing.T) {
	for _, in := range []string{"plain", "\x1b[2J", "\x7f", "\u009b", "\u202e", "\U000e0041", "ü", "a\nb"} {
		text, err := json.MarshalIndent([]string{in}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		quiet := quietJSON(text)
		var back []string
		if err := json.Unmarshal(quiet, &back); err != nil || back[0] != in {
			t.Errorf("%q: %s, %v", in, quiet, err)
		}
		if i := strings.IndexFunc(string(quiet), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%q: %q", in, quiet)
		}
	}
}
