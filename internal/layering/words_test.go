package layering

import (
	"regexp"
	"strings"
	"testing"
)

// A ban is a code pattern that is forbidden in some folders, with the reason.
type ban struct {
	folder  string // of the module; a trailing * matches any one folder
	pattern string
	why     string
	but     string // a file that is exempt
}

var bans = []ban{
	{"isa/*", `\b(Word|w)\.(Lo|Hi)\s*(>>|<<|&|\|)|(>>|<<)\s*\d+\s*&.*\bWord\b`, "bits of a word are read through the declared layout", ""},
	{"isa/*", `\.Enc\s*(==|!=)`, "what depends on the encoding is a form's or a row's business", "isa/gcn/form.go"},
	{"isa/*", `\.Find\("`, "names of fields are resolved when the tables are compiled", ""},
	{"isa/*", `Def\.Name\s*(==|!=)|switch\s+.*Def\.Name`, "what depends on the instruction is in its row", ""},
	{"internal/platforms/*", `(>>|<<)[^/]*\b(lo|hi)\b.*code\[`, "machine code is decoded by its instruction set", ""},
}

// TestBans checks the code for banned patterns. Properties of an instruction are declared in one place: its row, its
// form, its layout.
func TestBans(t *testing.T) {
	for _, b := range bans {
		re := regexp.MustCompile(b.pattern)
		for _, s := range tree(t) {
			if _, ok := fits(b.folder, s.pkg); !ok || s.test || s.generated() || b.but != "" && strings.HasSuffix(s.name, b.but) {
				continue
			}
			for i, line := range strings.Split(string(s.text), "\n") {
				if code, _, _ := strings.Cut(line, "//"); re.MatchString(code) {
					t.Errorf("%s:%d: %s: %s", s.name, i+1, b.why, strings.TrimSpace(line))
				}
			}
		}
	}
}

// TestBansBite: each ban matches what it forbids, and not what looks similar.
func TestBansBite(t *testing.T) {
	for i, c := range []struct{ bad, good string }{
		{"x := in.Word.Lo>>8 & 1", "w = w.Put(r, 1)"},
		{"if in.Def.Enc == vop3 {", "d.Enc = e"},
		{`a := d.Find("dst")`, `d.Args[0].Name = "dst"`},
		{`if in.Def.Name == "v_nop" {`, `return in.Def.Name + ": no"`},
		{`used |= lo >> 17 & 7 | hi << 3 // code[0]` + "\n" + `x := 1 << 2 * hi + code[3]`, "x := code[3]"},
	} {
		re := regexp.MustCompile(bans[i].pattern)
		if !re.MatchString(c.bad) || re.MatchString(c.good) {
			t.Errorf("ban %d: %q and %q", i, c.bad, c.good)
		}
	}
}
