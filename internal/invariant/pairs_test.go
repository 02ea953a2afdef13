package invariant

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/isa/tesla"
)

// TestPairsOfForms: files with instructions of every form assemble to the same code whether the assembler pairs short
// ones while it reads or lays all instructions out, as it does for a text that cannot be read again.
func TestPairsOfForms(t *testing.T) {
	const path = "../../cases/pairs/tesla-encdec.tsv.gz"
	f, err := casefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tg := tesla.Set().At(tesla.G200, tesla.CP)
	var forms []string
	for p, err := range casefile.Pairs(f, path) {
		if err != nil {
			t.Fatal(err)
		}
		text, err := asm.DisLine(tg, fmt.Sprintf("%x", p.Code()))
		if err != nil {
			continue // for another variant or stage
		}
		if len(p.Code()) == 4 {
			forms = append(forms, text, text, text) // there are few
		}
		forms = append(forms, text, fmt.Sprintf(".enc %x %s", p.Code(), text))
	}
	if len(forms) < 300 {
		t.Fatalf("%d forms", len(forms))
	}
	between := []string{"bra end", "joinat start", ".word 1, 2", ".word end - start", "k = 3", "k = k + 1", "mov b32 $r1 k", "mov b32 $r1 b32 s[k*4]", "add b32 $r1 $r2 c0[4*k]", "and b32 $r1 $r1 k", ".zero k", ".word k", "sub b32 $r6 $r6 c0[$a2+4*k]", "sub b32 $r6 $r6 c0[$a2+4*k]", ".globl x", ".align 8", "mov b32 $r1 end", "l%d:"}
	good := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		var src strings.Builder
		src.WriteString("start:\nk = 1\n")
		for i := range 60 {
			line := forms[r.IntN(len(forms))]
			if seed%4 > 0 && r.IntN(6) == 0 {
				line = strings.Replace(between[r.IntN(len(between))], "%d", fmt.Sprint(i), 1)
			}
			src.WriteString(line + "\n")
		}
		src.WriteString("end:\n")
		x, errs := asm.Assemble(tg, []byte(src.String()), asm.Options{})
		y, more, err := asm.Read(tg, strings.NewReader(src.String()), asm.Options{})
		if err != nil || !reflect.DeepEqual(errs, more) {
			t.Fatalf("%s%v, %v and %v", src.String(), err, errs, more)
		}
		if len(errs) > 0 {
			continue
		}
		good++
		if !bytes.Equal(x.Code, y.Code) || !reflect.DeepEqual(x.Lines, y.Lines) || !reflect.DeepEqual(x.Labels, y.Labels) {
			t.Fatalf("%s%x\n%x", src.String(), x.Code, y.Code)
		}
	}
	if good < 50 {
		t.Errorf("%d files were right", good)
	}
}

// TestNamesOfPairs: a name has the value that it has at its use, whatever it was earlier in the text.
func TestNamesOfPairs(t *testing.T) {
	const named = "k = 1\nmov b32 $r1 k\nadd b32 $r2 $r3 c0[k*4]\nk = k + 4\nmov b32 $r1 k\nadd b32 $r2 $r3 c0[k*4]\nmul rn f32 $r1 $r2 $r3\n.word k\n" +
		"sub b32 $r6 $r6 c0[$a2+4*k]\nk = 7\nmul rn f32 $r1 $r2 $r3\nsub b32 $r6 $r6 c0[$a2+4*k]\nk = 9\nsub b32 $r6 $r6 c0[$a2+4*k]\nsub b32 $r6 $r6 c0[$a2+4*k]\nk = 3\n"
	const said = "mov b32 $r1 1\nadd b32 $r2 $r3 c0[4]\nmov b32 $r1 5\nadd b32 $r2 $r3 c0[20]\nmul rn f32 $r1 $r2 $r3\n.word 5\n" +
		"sub b32 $r6 $r6 c0[$a2+20]\nmul rn f32 $r1 $r2 $r3\nsub b32 $r6 $r6 c0[$a2+28]\nsub b32 $r6 $r6 c0[$a2+36]\nsub b32 $r6 $r6 c0[$a2+36]\n"
	tg := tesla.Set().At(tesla.G200, tesla.CP)
	want, errs := asm.Assemble(tg, []byte(said), asm.Options{})
	if len(errs) > 0 {
		t.Fatal(errs[0].Detail())
	}
	x, errs := asm.Assemble(tg, []byte(named), asm.Options{})
	y, more, err := asm.Read(tg, strings.NewReader(named), asm.Options{})
	if err != nil || len(errs) > 0 || len(more) > 0 {
		t.Fatal(errs, more, err)
	}
	if !bytes.Equal(x.Code, want.Code) || !bytes.Equal(y.Code, want.Code) {
		t.Errorf("%x, and without reading it again %x; want %x", x.Code, y.Code, want.Code)
	}
}
