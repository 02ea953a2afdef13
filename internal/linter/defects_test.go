package linter

import (
	"os"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/lint"
)

// A defect is a program that breaks a rule, and a corrected version.
type defect struct {
	name           string
	where          string // variants, or a variant and a stage
	rule           string
	broken, mended string
}

// defects reads the programs of a file: after "== NAME: WHERE: RULE" the program, after "-- mended" the corrected
// version.
func defects(t *testing.T, file string) (ds []defect) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(text), "\n== ")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		f := strings.Split(head, ": ")
		broken, mended, ok := strings.Cut(body, "-- mended\n")
		if len(f) != 3 || !ok {
			t.Fatalf("%s: %q: want NAME: WHERE: RULE, and a mended program", file, head)
		}
		ds = append(ds, defect{f[0], f[1], f[2], broken, mended})
	}
	return ds
}

// markedIn returns the address of the first line with the mark //!, or ^0 if there is none.
func markedIn(a *asm.Assembly, text string) uint64 {
	lines := strings.Split(text, "\n")
	for _, l := range a.Lines {
		if strings.Contains(lines[l.Line-1], "//!") {
			return a.Base + uint64(l.Off)
		}
	}
	return ^uint64(0)
}

// lintText lints text as testdata/defects.txt says, and returns the address of the marked line.
func lintText(t *testing.T, tg *isa.Target, text string, function bool) (*lint.Report, uint64) {
	a, errs := asm.Assemble(tg, []byte(text), asm.Options{NoLint: true})
	if len(errs) > 0 {
		t.Fatal(errs[0].Detail())
	}
	e := lint.Entry{Name: "program", Function: function, Group: 4096, Limits: registers(tg, 48, 64)}
	if !function {
		e.Begins = []ir.Span{{Cell: gcn.SGPR(0), Count: 16}, {Cell: gcn.VGPR(0), Count: 8}}
	}
	return lint.Run(lint.Code{Target: tg, Base: a.Base, Bytes: a.Code, Entries: []lint.Entry{e}}, lint.Options{Least: isa.SeverityWarning}), markedIn(a, text)
}

// TestDefects: each seeded defect is found at its place, and nothing else is; the corrected program has no findings.
func TestDefects(t *testing.T) {
	ds := defects(t, "testdata/defects.txt")
	if len(ds) < 30 {
		t.Fatalf("%d defects", len(ds))
	}
	for _, d := range ds {
		for _, v := range strings.Fields(d.where) {
			t.Run(v+"/"+d.name, func(t *testing.T) {
				tg, err := gcn.Set().Target(isa.Config{Variant: v})
				if err != nil {
					t.Fatal(err)
				}
				function := strings.HasPrefix(d.name, "function")
				r, marked := lintText(t, tg, d.broken, function)
				if len(r.Findings) != 1 || r.Findings[0].Rule != d.rule || r.Findings[0].Addr != marked {
					t.Errorf("want one finding of %s at %#x, got%s", d.rule, marked, listed(r))
				}
				if r, _ := lintText(t, tg, d.mended, function); len(r.Findings) > 0 {
					t.Errorf("mended:%s", listed(r))
				}
			})
		}
	}
}

func listed(r *lint.Report) string {
	var b strings.Builder
	for _, f := range r.Findings {
		b.WriteString("\n\t" + f.Severity.String() + " " + f.Rule + ": " + f.Text + ": " + f.Msg)
	}
	if b.Len() == 0 {
		return " none"
	}
	return b.String()
}
