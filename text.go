package heddle

import (
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/isa"
)

// Errors are all that is wrong with a text, in the order of its lines; at least one. errors.As finds the first.
type Errors []*isa.Error

// Error returns each error with its line and a caret under the place.
func (es Errors) Error() string {
	var lines []string
	for _, e := range es {
		lines = append(lines, e.Detail())
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors one by one.
func (es Errors) Unwrap() (errs []error) {
	for _, e := range es {
		errs = append(errs, e)
	}
	return errs
}

// Assemble translates a file of assembly, with labels, directives and expressions, to machine code. The error is
// Errors. Package asm also returns labels and lines, and accepts a base address other than 0.
func (a *ISA) Assemble(src string) ([]byte, error) {
	r, errs := asm.Assemble(a.target, []byte(src), asm.Options{})
	if len(errs) > 0 {
		return nil, Errors(errs)
	}
	return r.Code, nil
}

// Disassemble lists machine code as a file that Assemble translates to the same bytes, whatever they are: with labels
// at the targets of branches, data where the bytes are no instruction, and .enc where an instruction's text would
// assemble to other bytes.
func (a *ISA) Disassemble(code []byte) string {
	var b strings.Builder
	if err := asm.List(&b, a.target, code, 0, asm.ListOptions{Exact: true}); err != nil {
		panic("heddle: " + err.Error()) // a listing fails only if its writer does
	}
	return b.String()
}

// Decode returns the text of the one instruction, or group that issues together, at the start of code, and its size
// in bytes. Branch targets are printed as encoded. With an error, which is an *isa.Error, size is the distance to
// where the next instruction may begin.
func (a *ISA) Decode(code []byte) (text string, size int, err error) {
	var b isa.Bundle
	if err := a.target.DecodeBundle(code, 0, &b); err != nil {
		return "", min(a.target.Unit, len(code)), err
	}
	return string(a.target.Print(nil, &b)), b.Size(), nil
}

// A Page is what is known of one instruction, or of a group that issues together.
type Page struct {
	Text     string   // as the disassembler writes it
	Code     []byte   // in memory order; nil if no encoding is public
	Parts    []Part   // one, except for sets whose instructions issue in groups
	Meaning  string   // as ops of package ir, one per line; "" if it cannot run
	Lack     string   // why it cannot run; "" if it can
	Fidelity string   // how close results are to hardware's: exact, approximate, modelled
	Because  []string // what makes the fidelity less than exact
	Findings []string // rules that it breaks although it decodes

	screen string
}

// A Part is one instruction of a page.
type Part struct {
	Mnemonic string
	Doc      string // one line
	Encoding string // name of the layout
	Bits     int    // of the instruction, literals included
	Operands []Operand
	Implicit []Operand // state that it reads or writes without naming it
	Source   string    // sections of docs/reference that it is from
	Note     string
}

// An Operand is an operand or modifier of an instruction.
type Operand struct {
	Name  string // in the layout
	Text  string // as written in the instruction; "" if it is not written
	Role  string // read; written; read, written; or nothing
	Width int    // bits of the value; 0: it is none
	Value uint64 // as encoded
}

// Explain returns the page of an instruction, given as text, as bytes in hexadecimal, or as a mnemonic alone, which
// stands for its first form. The error is or holds an *isa.Error.
func (a *ISA) Explain(what string) (*Page, error) {
	var b isa.Bundle
	if err := manual.Parse(a.target, what, &b); err != nil {
		return nil, err
	}
	m := manual.PageOf(a.target, &b, eval.StartMode(a.target))
	p := &Page{
		Text: m.Text, Meaning: m.IR, Lack: m.Lack, Fidelity: m.Fidelity, Because: m.Because, screen: m.Render(manual.Paint{}, true),
	}
	p.Code, _ = manual.Hex(m.Hex)
	for i := range m.Parts {
		p.Parts = append(p.Parts, partOf(&m.Parts[i]))
	}
	for _, f := range m.Findings {
		p.Findings = append(p.Findings, f.Msg)
	}
	return p, nil
}

func partOf(m *manual.Part) Part {
	p := Part{Mnemonic: m.Mnemonic, Doc: m.Doc, Encoding: m.Encoding, Bits: m.Bits, Source: m.Source, Note: m.Note}
	for _, o := range m.Operands {
		p.Operands = append(p.Operands, Operand{o.Name, o.Text, o.Role, o.Width, o.Value})
	}
	for _, t := range m.Implicit {
		p.Implicit = append(p.Implicit, Operand{Name: t.Name, Role: t.Role})
	}
	return p
}

// String returns the page for one screen: bits, operands, semantics, sources.
func (p *Page) String() string { return p.screen }
