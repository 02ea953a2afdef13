package asm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/sets"
)

// TestOutline: pieces, comments and targets of a text with errors, at their positions in the file.
func TestOutline(t *testing.T) {
	const file = ".isa tesla:g80 vp // what\n" +
		"a: b: add b32 $r0 $r1 $r2\r\n" +
		"n = 1 << 2\n" +
		".macro m p\n\tmov b32 $r0 \\p\n.endm\n" +
		"m 3\n" +
		".isa tesla:g80 fp\n" +
		"\t.byte \"//\" // \xc3\xa9\n" +
		"?? nonsense"
	tg, err := sets.Lookup("tesla")
	if err != nil {
		t.Fatal(err)
	}
	o := asm.NewOutline(tg, nil, []byte(file))
	if len(o.Text) != len(file) || strings.Count(string(o.Text), "\n") != strings.Count(file, "\n") {
		t.Fatalf("%q", o.Text)
	}
	var got strings.Builder
	for i, p := range o.Pieces {
		fmt.Fprintf(&got, "%d %q %q %d %s\n", p.Kind, file[p.From:p.To], file[p.From:p.From+p.Name], p.Body, o.Target(i+1))
	}
	want := `3 ".isa tesla:g80 vp" ".isa" -1 tesla:g80 vp
1 "a" "a" -1 tesla:g80 vp
1 "b" "b" -1 tesla:g80 vp
0 "add b32 $r0 $r1 $r2" "add" -1 tesla:g80 vp
2 "n = 1 << 2" "n" -1 tesla:g80 vp
3 ".macro m p" ".macro" -1 tesla:g80 vp
0 "mov b32 $r0 \\p" "mov" 5 tesla:g80 vp
3 ".endm" ".endm" 5 tesla:g80 vp
4 "m 3" "m" -1 tesla:g80 vp
3 ".isa tesla:g80 fp" ".isa" -1 tesla:g80 fp
3 ".byte \"//\"" ".byte" -1 tesla:g80 fp
0 "?? nonsense" "" -1 tesla:g80 fp
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
	var comments []string
	for _, c := range o.Comments {
		comments = append(comments, file[c.From:c.To])
	}
	if got, want := strings.Join(comments, "|"), "// what|// \xc3\xa9"; got != want {
		t.Errorf("comments %q, want %q", got, want)
	}
}

// TestPartial: for editors, text with errors assembles to bytes nevertheless, at the addresses that they would have.
func TestPartial(t *testing.T) {
	tg, err := sets.Lookup("gfx803")
	if err != nil {
		t.Fatal(err)
	}
	const file = "\ts_nop 1\n\ts_nap 1\nl:\ts_branch l\n\ts_branch nowhere\n\ts_endpgm\n"
	a, errs := asm.Assemble(tg, []byte(file), asm.Options{Partial: true})
	if len(errs) != 2 || a == nil {
		t.Fatalf("%v, %v", a, errs)
	}
	if got, want := fmt.Sprintf("%x", a.Code), "010080bf"+"00000000"+"ffff82bf"+"00000000"+"000081bf"; got != want {
		t.Errorf("code %s, want %s", got, want)
	}
	if a, errs := asm.Assemble(tg, []byte(file), asm.Options{}); a != nil || len(errs) != 2 {
		t.Errorf("without Partial: %v, %v", a, errs)
	}
}
