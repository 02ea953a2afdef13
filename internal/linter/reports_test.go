package linter

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/lint"
)

// reports are correct programs of cases/reports, and the rules that still give notes on them.
var reports = []struct {
	file, variant string
	notes         []string
}{
	{"waits-lanes/lanes.gfx8.s", "gfx8", []string{"pending-read"}},
	{"waits-lanes/turn.gfx8.s", "gfx8", []string{"pending-read"}},
	{"waits-lanes/half.gfx6.s", "gfx6", []string{"pending-source"}},
	{"lint-unclaimed-exp/exp.gfx8.s", "gfx8", []string{"unread-field", "unread-field"}},
	{"lint-buffer-resource/last-writer.gfx6.s", "gfx6", nil},
	{"lint-buffer-resource/offset.gfx6.s", "gfx6", nil},
}

// TestReports: correct code has no findings except notes.
func TestReports(t *testing.T) {
	for _, c := range reports {
		t.Run(c.file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "..", "cases", "reports", c.file))
			if err != nil {
				t.Fatal(err)
			}
			tg, err := gcn.Set().Target(isa.Config{Variant: c.variant})
			if err != nil {
				t.Fatal(err)
			}
			a, errs := asm.Assemble(tg, text, asm.Options{NoLint: true})
			if len(errs) > 0 {
				t.Fatal(errs[0].Detail())
			}
			r := lint.Run(lint.Code{Target: tg, Base: a.Base, Bytes: a.Code, Entries: []lint.Entry{{Name: "program", Begins: []ir.Span{{Cell: gcn.SGPR(0), Count: 16}, {Cell: gcn.VGPR(0), Count: 8}}}}},
				lint.Options{Least: isa.SeverityNote})
			var notes []string
			for _, f := range r.Findings {
				if f.Severity != isa.SeverityNote {
					t.Errorf("%v %s: %s: %s", f.Severity, f.Rule, f.Text, f.Msg)
				} else if f.Rule != "vgpr-unset" && f.Rule != "sgpr-unset" {
					notes = append(notes, f.Rule)
				}
			}
			if !slices.Equal(notes, c.notes) {
				t.Errorf("notes of %q, want %q", notes, c.notes)
			}
		})
	}
}
