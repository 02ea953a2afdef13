package linter

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

func rogueTarget(t *testing.T, options map[string]string) *isa.Target {
	t.Helper()
	tg, err := sets.Lookup("rogue")
	if err != nil {
		t.Fatal(err)
	}
	if tg, err = tg.With(0, options); err != nil {
		t.Fatal(err)
	}
	return tg
}

// lintRogue lints text that starts at its first byte, and returns the address of the marked line.
func lintRogue(t *testing.T, text string) (*lint.Report, uint64) {
	t.Helper()
	tg := rogueTarget(t, nil)
	a, errs := asm.Assemble(tg, []byte(text), asm.Options{NoLint: true})
	if len(errs) > 0 {
		t.Fatal(errs[0].Detail())
	}
	return lint.Run(lint.Code{Target: tg, Base: a.Base, Bytes: a.Code}, lint.Options{Least: isa.SeverityNote}), markedIn(a, text)
}

// TestRogueRules: each program of testdata/rogue.txt breaks its rule at its place and has no other finding; the
// corrected program has none. Every rule of the set has a program.
func TestRogueRules(t *testing.T) {
	text, err := os.ReadFile("testdata/rogue.txt")
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]bool{}
	for _, part := range strings.Split(string(text), "\n== ")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		name, rule, _ := strings.Cut(head, ": ")
		broken, mended, ok := strings.Cut(body, "-- mended\n")
		if rule == "" || !ok {
			t.Fatalf("%q: want NAME: RULE, and a mended program", head)
		}
		met[rule] = true
		t.Run(name, func(t *testing.T) {
			r, marked := lintRogue(t, broken)
			if len(r.Findings) != 1 || r.Findings[0].Rule != rule || r.Findings[0].Addr != marked {
				t.Errorf("want one finding of %s at %#x, got%s", rule, marked, listed(r))
			}
			if r, _ := lintRogue(t, mended); len(r.Findings) > 0 {
				t.Errorf("mended:%s", listed(r))
			}
		})
	}
	for _, r := range rogueTarget(t, nil).Rules {
		if !met[r.ID] {
			t.Errorf("no program breaks rule %s", r.ID)
		}
	}
}

// A rogueProgram is a whole program of the cases.
type rogueProgram struct{ Name, Code string }

func (p *rogueProgram) lint(t *testing.T, options map[string]string) *lint.Report {
	t.Helper()
	code, err := hex.DecodeString(p.Code)
	if err != nil || len(code) < 4 {
		t.Fatalf("%s: %d bytes: %v", p.Name, len(code), err)
	}
	return lint.Run(lint.Code{Target: rogueTarget(t, options), Bytes: code}, lint.Options{Least: isa.SeverityNote})
}

// passesOn removes notes about registers that workgroups share from a report, and returns their number.
func passesOn(r *lint.Report) int {
	all := len(r.Findings)
	r.Findings = slices.DeleteFunc(r.Findings, func(f lint.Finding) bool { return f.Rule == "beyond-group" && f.Severity == isa.SeverityNote })
	return all - len(r.Findings)
}

// TestRoguePrograms: shaders compiled by Mesa have no findings. Programs whose registers are set by a case have none
// except that the registers are never written, and that one writes a shared register.
func TestRoguePrograms(t *testing.T) {
	for file, want := range map[string]int{"compiled": 20, "programs": 14} {
		n := 0
		for _, p := range cases.Objects[rogueProgram](t, filepath.Join(cases.Dir(t), "state", "rogue-"+file+".jsonl.gz")) {
			n++
			r := p.lint(t, nil)
			if notes := passesOn(r); (notes == 1) != (p.Name == "hand_shared_atomic_add") || notes > 1 {
				t.Errorf("%s: %d notes of shared registers", p.Name, notes)
			}
			for _, f := range r.Findings {
				if file == "compiled" || f.Rule != "register-unset" && f.Rule != "state-unset" {
					t.Errorf("%s: %#x: %s: %s in %q", p.Name, f.Addr, f.Rule, f.Msg, f.Text)
				}
			}
		}
		if n != want {
			t.Errorf("%s: %d programs, want %d", file, n, want)
		}
	}
}

// rogueFile reads a file of the full set of cases.
func rogueFile(t *testing.T, name string, to any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(cases.Dir(t), "rogue", name))
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestRogueVendor: programs of the vendor's compiler have no findings, and all of their groups are reached, except that
// two programs leave values for others in shared registers and globals.
func TestRogueVendor(t *testing.T) {
	type program struct {
		rogueProgram
		Groups []struct{ Off int }
	}
	var f struct{ Programs []program }
	rogueFile(t, "vendor-programs.json", &f)
	if len(f.Programs) != 5 {
		t.Errorf("%d programs", len(f.Programs))
	}
	for _, p := range f.Programs {
		r := p.lint(t, nil)
		if notes := passesOn(r); notes != map[string]int{"pvr_cdm_load_sr": 3, "pvr_vdm_load_sr": 1}[p.Name] {
			t.Errorf("%s: %d notes of shared registers and globals", p.Name, notes)
		}
		if len(r.Findings) > 0 || r.Reached != len(p.Groups) {
			t.Errorf("%s: %d of %d groups are reached:%s", p.Name, r.Reached, len(p.Groups), listed(r))
		}
	}
}

// TestRogueInvalid: groups that decode although they must not be executed are found, with the right severity.
func TestRogueInvalid(t *testing.T) {
	type group struct{ Name, Hex, Severity, Why string }
	rules := map[string]string{"pck-format-13": "pack-format", "movc-without-test": "movc-test", "write-to-constant": "constant-write", "pixout-without-olchk": "pixel-overlap",
		"ld-to-internal": "internal-destination", "same-dest-twice": "same-result"}
	// The group also has no phase that drives the moved value.
	also := map[string]string{"movc-without-test": "feed-undriven"}
	tg := rogueTarget(t, nil)
	var f struct{ Groups []group }
	rogueFile(t, "invalid-groups.json", &f)
	if len(f.Groups) != 19 {
		t.Errorf("%d groups", len(f.Groups))
	}
	for _, g := range f.Groups {
		code, err := hex.DecodeString(g.Hex)
		if err != nil {
			t.Fatal(err)
		}
		var b isa.Bundle
		if err := tg.DecodeBundle(code, 0, &b); (err != nil) != (rules[g.Name] == "") {
			t.Errorf("%s: %s: %v", g.Name, g.Why, err)
		} else if err != nil {
			continue
		}
		found := slices.DeleteFunc(tg.Lint(nil, &b, nil), func(f isa.Finding) bool { return f.Rule == also[g.Name] })
		if len(found) != 1 || found[0].Rule != rules[g.Name] || found[0].Severity.String() != g.Severity {
			t.Errorf("%s: %s, of severity %s: %+v", g.Name, g.Why, g.Severity, found)
		}
	}
}

// TestRogueDroppedWaits: if the last wait is removed from a compiled program, the linter reports it; an earlier wait
// may be covered by the next one.
func TestRogueDroppedWaits(t *testing.T) {
	wait, idle := []byte{0x02, 0x80, 0x6a, 0xff}, []byte{0x02, 0x80, 0x6e, 0x00}
	n := 0
	for _, p := range cases.Objects[rogueProgram](t, filepath.Join(cases.Dir(t), "state", "rogue-compiled.jsonl.gz")) {
		code, err := hex.DecodeString(p.Code)
		if err != nil {
			t.Fatal(err)
		}
		for off := 0; ; off += len(wait) {
			i := bytes.Index(code[off:], wait)
			if i < 0 {
				break
			}
			off += i
			n++
			without := rogueProgram{p.Name, hex.EncodeToString(slices.Concat(code[:off], idle, code[off+len(wait):]))}
			r := without.lint(t, nil)
			last := !bytes.Contains(code[off+len(wait):], wait)
			if len(r.Findings) == 0 && last || len(r.Findings) > 0 && r.Findings[0].Rule != isa.RulePendingRead && r.Findings[0].Rule != isa.RulePendingWrite {
				t.Errorf("%s: the wait at %#x is dropped:%s", p.Name, off, listed(r))
			}
		}
	}
	if n < 5 {
		t.Errorf("%d waits", n)
	}
}

// FuzzRogue: any groups can be linted, with the same result each time, whatever branch distances are relative to;
// findings lie in the code.
func FuzzRogue(f *testing.F) {
	for _, text := range []string{"02806aff", "04816000f0ffffff", "04806004e8ffffff0480ee00f2ffffff", "250287810400000040ff0480ee00f2ffffff", "56a000b004c44010c04000ff02806aff35820040c0a4000046ff",
		"240200c0a10000500480ee00f2ffffff", "273640e2c1620043c4a5408646ff"} {
		code, err := hex.DecodeString(text)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(code, uint8(len(code)))
	}
	f.Fuzz(func(t *testing.T, code []byte, from uint8) {
		tg := rogueTarget(t, map[string]string{"branch-distance": [...]string{"begin", "end"}[from&1], "slots": string('0' + rune(from>>1%9))})
		c := lint.Code{Target: tg, Base: 0x100, Bytes: code, Guess: from&64 != 0}
		r := lint.Run(c, lint.Options{Least: isa.SeverityNote})
		if again := lint.Run(c, lint.Options{Least: isa.SeverityNote}); !reflect.DeepEqual(r, again) {
			t.Errorf("two runs differ:%s\n%s", listed(r), listed(again))
		}
		for _, x := range r.Findings {
			if x.Addr < c.Base || x.Addr > c.Base+uint64(len(code)) || x.Rule == "" || x.Msg == "" {
				t.Errorf("%#x: %+v", x.Addr, x)
			}
		}
	})
}
