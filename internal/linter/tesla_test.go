package linter

import (
	"encoding/binary"
	"encoding/hex"
	"path/filepath"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

// stageOf maps names of stages to those of cases.
var stageOf = map[string]string{"compute": "cp", "vertex": "vp", "geometry": "gp", "fragment": "fp"}

// blemishes are known findings worse than a note in compiled programs, by program and variant.
var blemishes = map[string][]string{
	// Unreachable code after the last exit has no end.
	"tests/test39.cubin my_kernel g80": {"error runs-off-end"},
	// A vector of three floats is stored as one of four; the fourth register is undefined.
	"tests/test27.cubin my_kernel g80":  {"warning register-unset"},
	"tests/test27b.cubin my_kernel g80": {"warning register-unset", "warning register-unset"},
	// The same, and a rounding mode of multiply-adds, which ptxas writes and hardware ignores.
	"tests/test27a.cubin my_kernel g80": {"warning idle-bits", "warning idle-bits", "warning register-unset", "warning idle-bits"},
	// A rounding mode on a conversion that does not round.
	"tests/test32.cubin f_test g80": {"warning unclaimed-bits"},
	// Loads of 32 bits from s[] decode as moves of bytes into halves: $r12 is not written, and $r2, the loop counter,
	// is overwritten with a value that differs between threads.
	"c31_fft4.co.g80 g80":    {"warning register-unset"},
	"c21_bitonic.co.g80 g80": {"warning barrier-divergent", "warning barrier-divergent"},
	// The addition that set $c0 was encoded in its short form, but a condition on $c0 remains.
	"rt_flat.fr.g80 g80":   {"warning flags-unset"},
	"rt_flat.fr.g80 g200":  {"warning flags-unset"},
	"rt_flat.fr.g80 gt215": {"warning flags-unset"},
	"flat g80 fragment":    {"warning flags-unset"},
	"flat g200 fragment":   {"warning flags-unset"},
	"flat gt215 fragment":  {"warning flags-unset"},
	// These chips have no atomics and no texgather: the following words decode as other instructions.
	"c16_shared_hist.co.g80 g80": {"error variant", "warning unclaimed-bits"},
	"f06_gather.fr.g80 g80":      gathers,
	"f06_gather.fr.g80 g200":     gathers,
}

var gathers = []string{"error variant", "warning unclaimed-bits", "error variant", "warning unclaimed-bits", "error variant", "warning unclaimed-bits", "error variant"}

// clean lints compiled programs: findings worse than a note must be known blemishes.
type clean struct {
	t        *testing.T
	programs int
	insts    int
	notes    map[string]int
}

func (c *clean) program(name, variant, kind, stage string, code []byte) {
	c.t.Helper()
	tg, err := sets.Lookup("tesla:" + variant)
	if err != nil || len(code) == 0 {
		c.t.Fatalf("%s: variant %q, %d bytes: %v", name, variant, len(code), err)
	}
	st, ok := tg.Arch.Stage(stage)
	if !ok {
		c.t.Fatalf("%s: stage %q", name, stage)
	}
	r := Bare(tg.At(tg.Variant, st), code, 0, lint.Options{Least: isa.SeverityNote})
	var got []string
	for _, f := range r.Findings {
		if f.Severity == isa.SeverityNote {
			c.notes[f.Rule]++
			continue
		}
		got = append(got, f.Severity.String()+" "+f.Rule)
	}
	if want := blemishes[name+" "+variant+kind]; !slices.Equal(got, want) {
		c.t.Errorf("%s %s%s: want %q, got%s", name, variant, kind, want, listed(r))
	}
	c.programs++
	c.insts += r.Reached
}

func (c *clean) done(least int) {
	if c.programs < least {
		c.t.Errorf("%d programs, want at least %d", c.programs, least)
	}
	c.t.Logf("%d programs, %d instructions; notes: %v", c.programs, c.insts, c.notes)
}

// TestTeslaKernels: kernels of NVIDIA's compiler.
func TestTeslaKernels(t *testing.T) {
	c := clean{t: t, notes: map[string]int{}}
	type kernel struct {
		File, Variant, Kernel string
		Words                 []string
	}
	for _, k := range cases.Objects[kernel](t, filepath.Join(cases.Dir(t), "third-party", "tesla-decuda", "decuda_kernels.jsonl.gz")) {
		var code []byte
		for _, w := range k.Words {
			b, err := hex.DecodeString(w)
			if err != nil || len(b) != 4 {
				t.Fatalf("%s: %q: %v", k.File, w, err)
			}
			code = binary.LittleEndian.AppendUint32(code, binary.BigEndian.Uint32(b))
		}
		c.program(k.File+" "+k.Kernel, k.Variant, "", "cp", code)
	}
	c.done(86)
}

// TestTeslaPrograms: programs of Mesa's compiler.
func TestTeslaPrograms(t *testing.T) {
	c := clean{t: t, notes: map[string]int{}}
	type program struct {
		Name, Variant, Stage, Code string
		Also                       []string `json:"also_variants"`
	}
	for _, file := range []string{"tesla-programs.jsonl.gz", "tesla-render.jsonl.gz"} {
		for _, p := range cases.Objects[program](t, filepath.Join(cases.Dir(t), "state", file)) {
			code, err := hex.DecodeString(p.Code)
			stage, ok := stageOf[p.Stage]
			if err != nil || !ok {
				t.Fatalf("%s: stage %q: %v", p.Name, p.Stage, err)
			}
			for _, v := range append(p.Also, p.Variant) {
				c.program(p.Name, v, "", stage, code)
			}
		}
	}
	c.done(240)
}

// TestTeslaScenes: shaders of Mesa's compiler.
func TestTeslaScenes(t *testing.T) {
	c := clean{t: t, notes: map[string]int{}}
	type shader struct{ Code string }
	type scene struct {
		Programs []struct {
			Variants         []string
			Vertex, Fragment shader
		}
	}
	for name, x := range scenes[scene](t, "tesla") {
		for _, p := range x.Programs {
			for stage, s := range map[string]shader{"vertex": p.Vertex, "fragment": p.Fragment} {
				code, err := hex.DecodeString(s.Code)
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range p.Variants {
					c.program(name, v, " "+stage, stageOf[stage], code)
				}
			}
		}
	}
	c.done(80)
}
