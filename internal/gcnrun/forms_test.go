package gcnrun

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// A derived case is a state case of a vector instruction whose operands are whole registers, in another form of the
// same instruction: it has the same expectations, except that some forms can have lane masks only in vcc.

// vectorForms are the forms of vector instructions: the suffix of the mnemonic, the modifiers that select whole
// registers of the same lane, and whether masks are in vcc.
var vectorForms = []struct {
	suffix, modifiers string
	inVCC             bool
}{
	{"_e32", "", true},
	{"_e64", "", false},
	{"_sdwa", " dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD", true},
	{"_sdwa", " dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD", true},
	{"", " src0_sel:DWORD src1_sel:DWORD", true}, // for compares
	{"_dpp", " quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf", true},
}

var (
	formSuffix   = regexp.MustCompile(`_(e32|e64|sdwa|dpp)$`)
	wholeOperand = regexp.MustCompile(`^(v\d+|v\[\d+:\d+\]|vcc|s\[2[02]:2[13]\])$`)
)

// TestForms runs state cases in all forms that their instructions have.
func TestForms(t *testing.T) {
	dir := t.TempDir()
	out, err := os.Create(filepath.Join(dir, "derived.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, set := range []string{"gcn-valu", "gcn-modes"} {
		n += deriveSet(t, out, "../../cases/state/"+set+".jsonl.gz")
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := check.Run(context.Background(), []string{dir}, check.Options{Engine: noted, Each: func(r check.Result) {
		if r.Status != check.Passed {
			t.Error(r)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if n < 1000 || s.Passed != n {
		t.Errorf("%d cases, %v", n, s)
	}
}

// deriveSet writes the derived cases of a set.
func deriveSet(t *testing.T, out *os.File, path string) (n int) {
	f, err := casefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		for i := range vectorForms {
			if c := derive(t, lines.Bytes(), i); c != nil {
				n++
				if _, err := out.Write(append(c, '\n')); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return n
}

// derive returns a case in a form, nil if the form or the case does not apply.
func derive(t *testing.T, line []byte, form int) []byte {
	var c map[string]any
	if err := json.Unmarshal(line, &c); err != nil {
		t.Fatal(err)
	}
	asm := c["asm"].([]any)
	mnemonic, rest, _ := strings.Cut(asm[0].(string), " ")
	operands := strings.Split(rest, ", ")
	for _, o := range operands {
		if !wholeOperand.MatchString(o) {
			return nil
		}
	}
	f := &vectorForms[form]
	masks := strings.HasPrefix(mnemonic, "v_cmp")
	name := formSuffix.ReplaceAllString(mnemonic, "") + f.suffix
	if masks != (f.suffix == "" && f.modifiers != "") && f.suffix != "_e32" && f.suffix != "_e64" {
		return nil
	}
	if f.inVCC {
		rest = masksInVCC(c, operands)
	}
	var old, b isa.Bundle
	variant, ok := gcn.Set().Arch.Variant(c["variant"].(string))
	if !ok {
		t.Fatalf("%v: no such variant", c["variant"])
	}
	tg := gcn.Set().At(variant, 0)
	text := name + " " + rest + f.modifiers
	if tg.Parse(text, 0, &b) != nil || b.Parts[0].Def.Meaning == nil {
		return nil // there is no such form, or it has no documented semantics
	}
	code, err := hex.DecodeString(c["code"].(string))
	if err == nil {
		err = tg.DecodeBundle(code, 0, &old)
	}
	if err != nil {
		t.Fatal(err)
	}
	if old.Parts[0].Def == b.Parts[0].Def {
		return nil
	}
	word, err := b.Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	c["code"] = hex.EncodeToString(append(word, code[old.Size():]...))
	asm[0] = text
	c["name"] = fmt.Sprintf("%s as %s%s", c["name"], name, f.modifiers)
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// masksInVCC replaces scalar operands by vcc, also in registers of the case.
func masksInVCC(c map[string]any, operands []string) string {
	for i, o := range operands {
		if !strings.HasPrefix(o, "s[") {
			continue
		}
		low := o[1+1 : 4]
		sections := []map[string]any{c["initial"].(map[string]any)["regs"].(map[string]any)} // a source
		if i < 2 && i < len(operands)-1 {
			sections = []map[string]any{c["final"].(map[string]any)["regs"].(map[string]any)} // a result
			if m, ok := c["final_mask"].(map[string]any); ok {
				sections = append(sections, m)
			}
		}
		for _, regs := range sections {
			for name, to := range map[string]string{"s" + low: "vcc_lo", "s" + low[:1] + string(low[1]+1): "vcc_hi"} {
				if v, ok := regs[name]; ok {
					regs[to] = v
					delete(regs, name)
				}
			}
		}
		operands[i] = "vcc"
	}
	return strings.Join(operands, ", ")
}
