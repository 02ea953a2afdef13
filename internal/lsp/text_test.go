package lsp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

func discardLog() *log.Logger { return log.New(io.Discard, "", 0) }

// letters are the alphabet of test texts: all line ends, and characters of one to four bytes.
func letters() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOf(rapid.SampledFrom([]string{"a", " ", "\n", "\r\n", "\r", "é", "€", "𝄞", ":"})), func(s []string) string { return strings.Join(s, "") })
}

// TestEdits: whatever ranges are replaced, in whatever encoding, the text equals the result of replacing characters
// counted one by one, and its lines are those of the whole text.
func TestEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		enc := rapid.SampledFrom([]encoding{utf8Encoding, utf16Encoding, utf32Encoding}).Draw(t, "encoding")
		s := letters().Draw(t, "text")
		x := newText(s, enc)
		for range rapid.IntRange(1, 4).Draw(t, "edits") {
			runes := []rune(s)
			from := rapid.IntRange(0, len(runes)).Draw(t, "from")
			to := rapid.IntRange(from, len(runes)).Draw(t, "to")
			if inEnd(runes, from) || inEnd(runes, to) {
				continue // no position lies between \r and \n
			}
			with := letters().Draw(t, "with")
			r := textRange{countTo(runes[:from], enc), countTo(runes[:to], enc)}
			s = string(runes[:from]) + with + string(runes[to:])
			x = x.apply(&contentChange{&r, with})
			if x.s != s {
				t.Fatalf("%+v of %q by %q: %q", r, string(runes), with, x.s)
			}
		}
		for off := range s {
			if at := x.position(off); x.offset(at) != off && !inEnd([]rune(s), len([]rune(s[:off]))) {
				t.Fatalf("byte %d of %q is at %+v, which is byte %d", off, s, at, x.offset(at))
			}
		}
	})
}

// inEnd reports whether a position lies between \r and \n.
func inEnd(r []rune, at int) bool { return at > 0 && at < len(r) && r[at-1] == '\r' && r[at] == '\n' }

// countTo returns the position after a text.
func countTo(r []rune, enc encoding) (p position) {
	for i, c := range r {
		switch {
		case c == '\n' || c == '\r' && (i+1 == len(r) || r[i+1] != '\n'):
			p = position{p.Line + 1, 0}
		case c == '\r':
		case enc == utf8Encoding:
			p.Character += len(string(c))
		case enc == utf16Encoding:
			p.Character += len(utf16.Encode([]rune{c}))
		default:
			p.Character++
		}
	}
	return p
}

// TestOutside: positions outside of the text, or within a character, mean the nearest valid one before.
func TestOutside(t *testing.T) {
	x := newText("a𝄞\nb", utf16Encoding)
	for _, tt := range []struct {
		p    position
		want int
	}{{position{0, 99}, 5}, {position{9, 0}, 7}, {position{0, 2}, 1}, {position{-1, 3}, 0}, {position{1, -4}, 6}, {position{1, 1}, 7}} {
		if got := x.offset(tt.p); got != tt.want {
			t.Errorf("%+v is byte %d, want %d", tt.p, got, tt.want)
		}
	}
}

// FuzzReader: any input gives messages or errors, and terminates; a message that is written reads back as one.
func FuzzReader(f *testing.F) {
	f.Add([]byte(framed(sayInitialize, sayExit)))
	f.Add([]byte("Content-Length: 2\r\nX: y\r\n\r\n{}Content-Length: x\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for r, n := newReader(bytes.NewReader(data)), 0; ; n++ {
			m, err := r.next()
			if n > len(data) {
				t.Fatalf("%d messages in %d bytes", n, len(data))
			}
			if _, one := err.(*rpcError); err != nil && !one {
				return
			}
			if err == nil && m.ID != nil && !json.Valid(m.ID) {
				t.Fatalf("id %q", m.ID)
			}
		}
	})
}

// FuzzDocument: a document of any text, in any set, answers all requests at any position.
func FuzzDocument(f *testing.F) {
	f.Add("loop: v_add_f32 v0, s1, \"é\n.macro m a\n\\a\\@ {\n", uint16(9), byte(0))
	f.Add("{ s0 = r0\n p0: fmul ft0, s0, s1; w0 = r3 }\n/* x", uint16(30), byte(3))
	f.Fuzz(func(t *testing.T, s string, place uint16, set byte) {
		if len(s) > 4096 || strings.Contains(s, ".rept") {
			return // the assembler limits, and its fuzz tests check, how long these take
		}
		names := []string{"gcn:gfx8", "valhall", "tesla:g80", "rogue", "attila"}
		d := documentOf(s)
		defer d.stale()
		d.config.ISA = names[int(set)%len(names)]
		p := posParams{docParams{}, d.position(int(place))}
		whole := rangeParams{docParams{}, d.rangeOf(0, len(s))}
		for _, g := range d.diagnostics() {
			if from, to := d.offset(g.Range.Start), d.offset(g.Range.End); from > to || d.position(from) != g.Range.Start || d.position(to) != g.Range.End {
				t.Errorf("%q: a diagnostic at %+v, which is bytes %d to %d", s, g.Range, from, to)
			}
		}
		for _, ask := range []func(posParams) (any, error){d.hover, d.complete, d.signatures, d.definition, d.highlights, d.prepareRename} {
			ask(p)
		}
		d.references(referenceParams{posParams: p})
		d.rename(renameParams{p, "fresh"})
		d.inlayHints(whole)
		d.codeActions(actionParams{rangeParams: whole})
		d.tokensRange(whole)
		d.symbols(docParams{})
		d.folds(docParams{})
	})
}

// TestLongLine: tokens of a line of a hundred thousand labels, after letters of several bytes, are where the labels
// are: time grows linearly with the line.
func TestLongLine(t *testing.T) {
	for _, letters := range []string{"", "/* é𝄞 */ "} {
		var src strings.Builder
		src.WriteString("\n" + letters)
		const n = 100_000
		for i := range n {
			fmt.Fprintf(&src, "l%d: ", i)
		}
		d := documentOf(src.String())
		defer d.stale()
		d.config.ISA, d.text = "gfx803", newText(src.String(), utf16Encoding)
		data := d.tokens(0, len(d.s)).Data
		at, labels := position{}, 0
		for k := 0; k+5 <= len(data); k += 5 {
			if data[k] != 0 {
				at = position{Line: at.Line + data[k]}
			}
			at.Character += data[k+1]
			if tokenType(data[k+3]) == tokenComment {
				continue
			}
			if k%5000 == 0 || labels == n-1 { // offset scans the line
				from := d.offset(at)
				if got, want := d.s[from:from+data[k+2]], fmt.Sprintf("l%d", labels); got != want {
					t.Fatalf("label %d: %q", labels, got)
				}
			}
			labels++
		}
		if labels != n {
			t.Errorf("%d labels", labels)
		}
	}
}
