package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestText: a case without code runs from its text, in its syntax, and the wave ends after it.
func TestText(t *testing.T) {
	for _, c := range []struct{ name, syntax, text, want, what string }{
		{"product", "pco", "{ s0 = r0, s1 = r2 p0: f64mul w0, s0, s1; w0 = r16 }", "0x40180000", ""},
		{"the usual syntax", "", "{ s0 = r0, s1 = r2 p0: f64mul w0, s0, s1; w0 = r16 }", "0x40180000", ""},
		{"an end", "pco", `{ s0 = r0, s1 = r2 p0: f64mul w0, s0, s1; w0 = r16 }.end","{ s0 = r0 p0: mbyp ft0, s0; w0 = r17 }`, "0x40180000", ""},
		{"with code", "pco", "{ s0 = r1 p0: mbyp ft0, s0; w0 = r17 }", "0x40000000", ""},
		{"wrong", "pco", "{ s0 = r0, s1 = r2 p0: f64add w0, s0, s1; w0 = r16 }", "0x40180000", "r17 lane 0 is 0x40140000, want 0x40180000"},
		{"no such syntax", "latin", "{ s0 = r0 }", "0x0", "text of a syntax that is not known: latin"},
		{"no instruction", "pco", "{ s0 = r0 p0: f64nul w0, s0; w0 = r16 }", "0x0", "its text: no instruction:1:15: error: no instruction \"f64nul\""},
	} {
		line := fmt.Sprintf(`{"name":%q,"isa":"rogue","variant":"rogue","stage":"raw","code":"-","syntax":%q,"asm":["%s"],"launch":{"lanes":1},"initial":{"regs":{"r0":"0","r1":"0x40000000","r2":"0","r3":"0x40080000"}},"final":{"regs":{"r17":%q}},"compare":{"type":"u32","ulp":0}}`+"\n",
			c.name, c.syntax, c.text, c.want)
		path := filepath.Join(t.TempDir(), "text.jsonl")
		if err := os.WriteFile(path, []byte(line), 0o666); err != nil {
			t.Fatal(err)
		}
		var got []Result
		if _, err := Run(context.Background(), []string{path}, Options{Each: func(r Result) { got = append(got, r) }}); err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || got[0].What == "" != (c.what == "") || !strings.Contains(got[0].What, c.what) {
			t.Errorf("%s: %v, want %q", c.name, got, c.what)
		}
	}
}
