package attila

import (
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/attila"
	"github.com/heddle-gpu/heddle/mem"
)

func TestConstants(t *testing.T) {
	env, err := newEnv()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		words []uint32
		at    uint64 // of the last word
	}{{"c0", []uint32{1, 2, 3, 4}, 12}, {"c7.z", []uint32{9}, 120}, {"c510", []uint32{5, 6, 7, 8, 9}, 8176}} {
		if err := setConstant(&env, c.name, c.words); err != nil {
			t.Fatal(err)
		}
		var cur mem.Cursor
		b, fault := env.Space(ir.ConstSpace, 0).At(&cur, c.at, 4, mem.Read)
		if fault != nil || mem.Load(b) != uint64(c.words[len(c.words)-1]) {
			t.Errorf("%s: %v %v", c.name, b, fault)
		}
	}
	// The last constant takes four words and not five.
	if err := setConstant(&env, "c511", []uint32{1, 2, 3, 4}); err != nil {
		t.Error(err)
	}
	if err := setConstant(&env, "c511", []uint32{1, 2, 3, 4, 5}); err == nil {
		t.Error("a word behind the last constant")
	}
	for _, name := range []string{"c512", "c", "k1", "c1.q", "c-1", "c511.w"} {
		if err := setConstant(&env, name, []uint32{1, 2}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestReads: all inputs that a program reads are interpolated.
func TestReads(t *testing.T) {
	res, errs := asm.Assemble(attila.Set().At(0, 0), []byte("mad r0, i3, c1, i15\nadd o1, r0, i9 <- end\n"), asm.Options{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if got := reads(res.Code); got != (draw.Components{3: 15, 9: 15, 15: 15}) {
		t.Errorf("%v", got)
	}
}
