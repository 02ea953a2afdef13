package linter

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

// valhallOf returns the target for programs of a stage, by option.
func valhallOf(t *testing.T, stage string) *isa.Target {
	t.Helper()
	return valhallWith(t, map[string]string{"stage": stage})
}

func valhallWith(t *testing.T, options map[string]string) *isa.Target {
	t.Helper()
	tg, err := sets.Lookup("valhall")
	if err != nil {
		t.Fatal(err)
	}
	if tg, err = tg.With(0, options); err != nil {
		t.Fatal(err)
	}
	return tg
}

// TestValhallRules: each program of testdata/valhall.txt breaks its rule at its place and has no other finding; the
// corrected program has none. Every rule of the set has a program.
func TestValhallRules(t *testing.T) {
	text, err := os.ReadFile("testdata/valhall.txt")
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]bool{}
	for _, part := range strings.Split(string(text), "\n== ")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		f := strings.Split(head, ": ")
		broken, mended, ok := strings.Cut(body, "-- mended\n")
		if len(f) != 3 || !ok {
			t.Fatalf("%q: want NAME: STAGE: RULE, and a mended program", head)
		}
		met[f[2]] = true
		t.Run(f[0], func(t *testing.T) {
			r, marked := lintValhall(t, f[1], broken)
			if len(r.Findings) != 1 || r.Findings[0].Rule != f[2] || r.Findings[0].Addr != marked {
				t.Errorf("want one finding of %s at %#x, got%s", f[2], marked, listed(r))
			}
			if r, _ := lintValhall(t, f[1], mended); len(r.Findings) > 0 {
				t.Errorf("mended:%s", listed(r))
			}
		})
	}
	for _, r := range valhallOf(t, "any").Rules {
		if !met[r.ID] && r.Options == nil {
			t.Errorf("no program breaks rule %s", r.ID)
		}
	}
}

// lintValhall lints text that starts at its first byte, and returns the address of the marked line.
func lintValhall(t *testing.T, stage, text string) (*lint.Report, uint64) {
	t.Helper()
	tg := valhallOf(t, stage)
	a, errs := asm.Assemble(tg, []byte(text), asm.Options{NoLint: true})
	if len(errs) > 0 {
		t.Fatal(errs[0].Detail())
	}
	return lint.Run(lint.Code{Target: tg, Base: a.Base, Bytes: a.Code}, lint.Options{Least: isa.SeverityNote}), markedIn(a, text)
}

// A valhallProgram is a whole program of the cases.
type valhallProgram struct{ Name, Stage, Code string }

func (p *valhallProgram) lint(t *testing.T, code []byte) *lint.Report {
	stage := p.Stage
	if stage == "raw" {
		stage = "any"
	}
	return lint.Run(lint.Code{Target: valhallOf(t, stage), Bytes: code}, lint.Options{Least: isa.SeverityNote})
}

func (p *valhallProgram) bytes(t *testing.T) []byte {
	code, err := hex.DecodeString(p.Code)
	if err != nil || len(code) < 8 {
		t.Fatalf("%s: %d bytes: %v", p.Name, len(code), err)
	}
	return code
}

// TestValhallPrograms: shaders of all stages compiled by Mesa have no findings, and programs whose registers are set by
// a case have none of severity error.
func TestValhallPrograms(t *testing.T) {
	for file, want := range map[string]int{"state/valhall-compiled.jsonl.gz": 233, "state/valhall-unit.jsonl.gz": 57} {
		n := 0
		for _, p := range cases.Objects[valhallProgram](t, filepath.Join(cases.Dir(t), file)) {
			n++
			r := p.lint(t, p.bytes(t))
			for _, f := range r.Findings {
				if p.Stage != "raw" || f.Severity == isa.SeverityError {
					t.Errorf("%s: %#x: %s: %s in %q", p.Name, f.Addr, f.Rule, f.Msg, f.Text)
				}
			}
			if r.Reached*8 != len(p.bytes(t)) {
				t.Errorf("%s: %d of %d instructions are reached", p.Name, r.Reached, len(p.bytes(t))/8)
			}
		}
		if n != want {
			t.Errorf("%s: %d programs, want %d", file, n, want)
		}
	}
}

// TestValhallWords: no instruction of compiled programs breaks a rule about single instructions.
func TestValhallWords(t *testing.T) {
	n, tg := 0, valhallOf(t, "any")
	for _, line := range cases.Lines(t, filepath.Join(cases.Dir(t), "pairs/valhall-programs.tsv.gz")) {
		f := strings.Split(line, "\t")
		if len(f) < 4 || f[0] != "valhall:v9" {
			continue
		}
		code, err := hex.DecodeString(f[2])
		if err != nil {
			t.Fatal(line)
		}
		var b isa.Bundle
		if err := tg.DecodeBundle(code, 0, &b); err != nil {
			t.Fatal(line, err)
		}
		n++
		for _, x := range tg.Lint(nil, &b, nil) {
			t.Errorf("%s: %s: %s", f[3], x.Rule, x.Msg)
		}
	}
	if n < 1500 {
		t.Errorf("%d words", n)
	}
}

// TestValhallScenes: the shaders of recorded draws have no findings.
func TestValhallScenes(t *testing.T) {
	type shader struct{ Code string }
	type scene struct {
		Job struct{ Position, Varying, Fragment *shader } `json:"draw_job"`
	}
	n := 0
	for name, x := range scenes[scene](t, "valhall") {
		for stage, s := range map[string]*shader{"vertex position": x.Job.Position, "vertex varying": x.Job.Varying, "fragment": x.Job.Fragment} {
			if s == nil {
				continue
			}
			n++
			p := valhallProgram{name, strings.Fields(stage)[0], s.Code}
			code := p.bytes(t)
			if r := p.lint(t, code); len(r.Findings) > 0 || r.Reached < 3 {
				t.Errorf("%s %s: %d instructions:%s", name, stage, r.Reached, listed(r))
			}
		}
	}
	if n < 49 {
		t.Errorf("%d shaders", n)
	}
}

// TestValhallDroppedFlow: if a wait, end or reconvergence is removed from compiled code, the linter reports it.
// Exceptions are BLEND, which may continue after itself in any case, ATEST, whose wait is repeated before BLEND,
// forward branches, which need no .reconverge, and reconvergence of threads that continue alike.
func TestValhallDroppedFlow(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	const reconverge, discard, opBranch, opATest, opBlend = 10, 13, 0x1f, 0x7d, 0x7f
	dropped, missed := map[uint64]int{}, map[uint64]int{}
	i := 0
	for _, p := range cases.Objects[valhallProgram](t, filepath.Join(cases.Dir(t), "state/valhall-compiled.jsonl.gz")) {
		if i++; i%3 != 0 {
			continue
		}
		code := p.bytes(t)
		for off := 0; off < len(code); off += 8 {
			w := binary.LittleEndian.Uint64(code[off:])
			flow := w >> 59 & 15
			if op := w >> 48 & 0x1ff; flow == 0 || flow == discard || op == opBlend || op == opATest || op == opBranch && flow == reconverge && w>>34&1 == 0 {
				continue
			}
			dropped[flow]++
			binary.LittleEndian.PutUint64(code[off:], w&^(15<<59))
			if r := p.lint(t, code); len(r.Findings) == 0 {
				missed[flow]++
				if flow != reconverge {
					t.Errorf("%s: flow %d is dropped at %#x, and nothing is found", p.Name, flow, off)
				}
			}
			binary.LittleEndian.PutUint64(code[off:], w)
		}
	}
	if n := dropped[reconverge]; n < 90 || missed[reconverge]*5 > n {
		t.Errorf("%d of %d dropped reconverge are missed, want 1 of 5 at most", missed[reconverge], n)
	}
	t.Logf("dropped by flow: %v, missed: %v", dropped, missed)
	if len(dropped) < 10 {
		t.Errorf("flows that are dropped: %v", dropped)
	}
}

// FuzzValhall: any words can be linted, with every option, and findings lie in the code.
func FuzzValhall(f *testing.F) {
	tg, err := sets.Lookup("valhall")
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{"BRANCHZ.reconverge ^r0, offset:-2", "BLEND.slot0.v4.f16.end @r0:r1, blend_descriptor_0.w0, r60, target:0x2", "BARRIER.slot7",
		"LOAD.i64.slot0 @r62:r63, ^r63, offset:0", "BRANCHZI.absolute r0, ^r1", "TEX_SINGLE.slot1.f.32.2d.computed @r58:r59:r60:r61:r62, @r48:r49, ^r50"} {
		a, errs := asm.Assemble(tg, []byte(text+"\nFADD.f32 r0, ^r1, r2\n"), asm.Options{NoLint: true})
		if len(errs) > 0 {
			f.Fatal(errs[0])
		}
		f.Add(append(a.Code, a.Code...), uint8(len(text)))
	}
	f.Fuzz(func(t *testing.T, code []byte, options uint8) {
		stages := []string{"any", "compute", "vertex", "fragment", "blend"}
		tg := valhallWith(t, map[string]string{"stage": stages[int(options)%len(stages)], "registers": []string{"64", "32"}[options>>7]})
		r := lint.Run(lint.Code{Target: tg, Base: 64, Bytes: code, Guess: options>>6&1 != 0}, lint.Options{Least: isa.SeverityNote})
		for _, x := range r.Findings {
			if x.Addr < 64 || x.Addr > 64+uint64(len(code)) || x.Msg == "" {
				t.Errorf("%+v", x)
			}
		}
	})
}

// messageWord returns a LOAD.i128 without a wait, a MOV that is the last use of a register, or a branch.
func messageWord(r *rand.Rand) []uint32 {
	switch r.IntN(8) {
	case 0:
		return []uint32{uint32(0x40|r.IntN(64)) | uint32(r.IntN(4000)-2000)&0x7ffffff<<8, 0x501f0000 | 0xc000}
	case 1, 2, 3:
		return []uint32{uint32(0x40 | r.IntN(64)), 0x910000 | 0xc000 | uint32(r.IntN(64))<<8}
	}
	return []uint32{uint32(0x40|r.IntN(32)<<1) | 7<<27 | uint32(r.IntN(3))<<30, 0x608000 | uint32(r.IntN(30)<<1)<<8 | 7<<4 | 8}
}
