package object

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// outline is a document in one line.
func outline(n *node) string {
	var parts []string
	for i := range n.items {
		s := outline(&n.items[i])
		if n.kind == mapNode {
			s = fmt.Sprintf("%s=%s", n.keys[i], s)
		}
		parts = append(parts, s)
	}
	switch {
	case n.kind == listNode:
		return "[" + strings.Join(parts, " ") + "]"
	case n.kind == mapNode:
		return "{" + strings.Join(parts, " ") + "}"
	case n.quoted:
		return fmt.Sprintf("%q", n.text)
	}
	return n.text
}

func TestYAML(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "",
		"---\na: 1\n...\nb: 2\n":                 "{a=1}",
		"a: 1 # what\nb:   'x: # y'\n# c: 2\n":   `{a=1 b="x: # y"}`,
		"a:\n  - 1\n  - 2\nb:\n- 3\n-   4\n":     "{a=[1 2] b=[3 4]}",
		"- - 1\n  - 2\n- b: 1\n  c: 2\n":         "[[1 2] {b=1 c=2}]",
		"-\n  a: 1\n- \n- x\n":                   "[{a=1}  x]",
		"a:\nb: ~\n":                             "{a= b=~}",
		"a: [ 1, 'b, c', [ ] ,{ d: 2, e : f } ]": `{a=[1 "b, c" [] {d=2 e=f}]}`,
		"a: [ 1,\n     2,\n     3 ]\nb: 4\n":     "{a=[1 2 3] b=4}",
		`a: "\t\x41\u00e9\\\""`:                  `{a="\tAé\\\""}`,
		"a: 'it''s'\n'b c': !str 12\n":           `{a="it's" b c="12"}`,
		"a: x:y z\n":                             "{a=x:y z}",
		"a: 'it'' #1' # 2\nb: !str '#' # 3\n":    `{a="it' #1" b="#"}`,
		"a: it 's # 1\nb: [ c 'd, # 2\n e ]\n":   "{a=it 's b=[c 'd e]}",
		"a: b#c\nd#e: [ f#g ] # h\ni: j\t#k\n":   "{a=b#c d#e=[f#g] i=j}",
		"- #a\n- b #c\n- '#d'\n- e'#'\n":         `[ b "#d" e'#']`,
		"only text\n":                            "only text",
	} {
		n, err := readYAML(text)
		if got := outline(&n); err != nil || got != want {
			t.Errorf("%q is %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestYAMLErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\n   b: 2\n":               "line:2: \"b: 2\" is indented otherwise",
		"a: 1\na: 2\n":                  "line:2: key a is malformed, or is given twice",
		"\ta: 1\n":                      "line:1: a tab in front of",
		"a: [ 1, 2\n":                   "line:1: a bracket is not closed",
		"a: [ 1 ] 2\n":                  "line:1: \"2\" is too much here",
		"a: { b }\n":                    "line:1: key \"b\" has no value",
		"a: *b\n":                       "line:1: \"*b\": anchors and folded texts are not read",
		"a: 'b\n":                       "line:1: 'b is no text in quotes",
		"a: \"\\q\"\n":                  "is no text in quotes",
		"a: 1\nb\n":                     "line:2: \"b\" where KEY: is expected",
		strings.Repeat("- ", 40) + "1":  "nested more than 32 deep",
		"a: " + strings.Repeat("[", 40): "nested more than 32 deep",
		"a: [" + strings.Repeat("1,", 1<<18) + "1]": "more than 262144 values",
	} {
		_, err := readYAML(text)
		var e *Error
		if err == nil || !errors.As(err, &e) || !strings.Contains(e.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

// TestMetadataText: bytes by the MessagePack specification.
func TestMetadataText(t *testing.T) {
	const text = "---\namdhsa.version:\n  - 1\n  - 2\n.flag: true\n.n: -3\n.big: 0x12345\n.none:\n.s: '12'\n.list: []\n.f: 1.5\n"
	want := "87" + "ae" + hex.EncodeToString([]byte("amdhsa.version")) + "920102" +
		"a5" + hex.EncodeToString([]byte(".flag")) + "c3" + "a2" + hex.EncodeToString([]byte(".n")) + "fd" +
		"a4" + hex.EncodeToString([]byte(".big")) + "ce00012345" + "a5" + hex.EncodeToString([]byte(".none")) + "c0" +
		"a2" + hex.EncodeToString([]byte(".s")) + "a23132" + "a5" + hex.EncodeToString([]byte(".list")) + "90" +
		"a2" + hex.EncodeToString([]byte(".f")) + "cb3ff8000000000000"
	got, err := EncodeMetadata(text)
	if err != nil || strings.Replace(want, "87", "88", 1) != hex.EncodeToString(got) {
		t.Fatalf("%x, %v, want %s", got, err, want)
	}
	back, err := DecodeMetadata(got)
	if err != nil {
		t.Fatal(err)
	}
	again, err := EncodeMetadata(back)
	if err != nil || !bytes.Equal(got, again) {
		t.Errorf("%s\nis %x, %v", back, again, err)
	}
	if !strings.Contains(back, ".s:              '12'\n") || !strings.Contains(back, ".none:           null\n") {
		t.Errorf("text is\n%s", back)
	}
}

// TestMetadataOfFiles: the metadata of a compiler's files comes back byte for byte.
func TestMetadataOfFiles(t *testing.T) {
	n := 0
	for _, name := range append(glob(t, "testdata", "*.hsaco"), glob(t, "../cases/kernels/gcn", "*", "*.hsaco")...) {
		f, err := readELF(readFile(t, name))
		if err != nil {
			t.Fatal(err)
		}
		b, _, err := f.note(noteAMDGPU, metadataNote)
		if err != nil || b == nil {
			t.Fatal(name, err)
		}
		text, err := DecodeMetadata(b)
		if err != nil {
			t.Fatal(name, err)
		}
		back, err := EncodeMetadata(text)
		if err != nil || !bytes.Equal(back, b) {
			t.Errorf("%s: %v\n%x, want\n%x", name, err, back, b)
		}
		n++
	}
	if n < 20 {
		t.Errorf("%d files", n)
	}
}

// TestQuote: every string reads back from a document unchanged.
func TestQuote(t *testing.T) {
	for _, s := range []string{"", "a", "float*", "n", "Null", "12", "1e5", "-1", ".name", ".5", "a b", "a: b", "it's", "a\nb", "é", "\x00\x7f", "a#b", "a #b", "- a", "-", "a:", "!x", "0x10", "---", "1_0", " a ", "a\\b\"c"} {
		got, err := EncodeMetadata("k: " + quote(s))
		if err != nil || !bytes.HasSuffix(got, []byte(s)) || len(got) > len(s)+5 || len(got) < len(s)+4 {
			t.Errorf("%q as %s is %x, %v", s, quote(s), got, err)
		}
	}
}

func FuzzYAML(f *testing.F) {
	f.Add("---\na:\n  - .b: [ 1, { c: 'd' } ]\n    e: \"\\x41\"\n...\n")
	f.Add("- - 1\n- a: 1\n  b:\n  - 2\n")
	f.Fuzz(func(t *testing.T, text string) {
		n, err := readYAML(text)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Line < 1 || e.Msg == "" {
				t.Errorf("%#v", err)
			}
			return
		}
		if n.kind != mapNode {
			return
		}
		packed, err := EncodeMetadata(text)
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeMetadata(packed)
		if err != nil {
			return // a number that has no text
		}
		again, err := EncodeMetadata(back)
		if err != nil || !bytes.Equal(packed, again) {
			t.Errorf("%q: %x\n%s\n%x, %v", text, packed, back, again, err)
		}
	})
}
