package gcnrun

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/internal/rowtrace"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// noted records the instructions that the tests of this package run.
var noted = rowtrace.New(ref.New())

// TestMain: every row with semantics runs in a test of this package, in a state case of the repository, or as another
// form of an instruction in such a case.
func TestMain(m *testing.M) { rowtrace.Main(m, missing) }

// missing names the rows that no test ran.
func missing() (names []string) {
	ran := map[string]bool{}
	for _, d := range noted.Rows() {
		ran[rowName(d)] = true
	}
	for _, r := range rowsWithMeaning() {
		if !ran[r] {
			names = append(names, r)
		}
	}
	return names
}

// rowsWithMeaning returns the names of all rows that can run. Rows of several generations that differ only in opcode
// and layout have the same name.
func rowsWithMeaning() (names []string) {
	seen := map[string]uint32{}
	for i := range gcn.Set().Defs {
		d := &gcn.Set().Defs[i]
		if d.Meaning == nil || d.Alias {
			continue
		}
		name := rowName(d)
		if seen[name]&d.Variants != 0 {
			panic("two rows are " + name)
		}
		if seen[name] == 0 {
			names = append(names, name)
		}
		seen[name] |= d.Variants
	}
	return names
}

// rowName returns the name of a row with its form: mnemonic, encoding, and the modifiers and operands that distinguish
// it from others of its name.
func rowName(d *isa.Def) string {
	name := d.Name + " " + d.Enc.Name
	for i := range d.Args {
		if a := &d.Args[i]; a.Place == isa.Required || d.Enc.Name[:2] == "SM" && (a.Name == "soffset" || a.Name == "k") || d.Enc.Name == "EXP" {
			name += " " + a.Name
		}
	}
	return name
}

// note records the instruction of the code.
func (m *memRun) note(code []byte) {
	var b isa.Bundle
	if err := m.target.DecodeBundle(code, 0, &b); err != nil {
		m.t.Fatal(err)
	}
	noted.Note(b.Parts[0].Def)
}
