package valhall

import (
	"cmp"
	"fmt"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// newForm makes a form: modifiers of the mnemonic in the order in which they print, then the flow, and operands.
func newForm(mods []isa.Arg, ops ...operand) *form {
	f := &form{dst: -1, args: make([]isa.Arg, 0, len(mods)+len(ops)+2)}
	f.args = append(append(f.args, mods...), flowArg)
	for i := range mods {
		f.slot = f.slot || mods[i].Name == slotArg.Name
	}
	placed := false
	for _, o := range ops {
		at := len(f.args)
		f.args = append(f.args, o.arg)
		f.jumps = f.jumps || o.arg.Kind == target
		switch {
		case o.used:
			o.src.arg = at
			f.bytes |= 0xff << o.arg.At[0].Lo
			f.srcs, f.page = append(f.srcs, o.src), true
		case o.arg.Kind == result:
			f.dst, placed = at, true
		case o.arg.Kind == register:
			placed = true
		case o.arg.Kind == staged || o.arg.Kind == stagedResult:
			f.regs, placed = append(f.regs, at), true
		}
	}
	f.boundFields()
	if !placed && (len(f.args) == 0 || f.args[len(f.args)-1].Name != placeholder.Name) {
		f.args = append(f.args, placeholder)
	}
	return f
}

// check says why fields are invalid together; "": they are valid.
func (f *form) check(in *isa.Inst) string {
	if msg := f.beyond(in); msg != "" {
		return msg
	}
	if x := in.Word.Get(sourceBytes) & f.bytes; x&(x<<1)&(x<<2)&upperBits != 0 { // a byte is at or above firstSpecial
		if msg := f.specials(in); msg != "" {
			return msg
		}
	}
	for _, i := range f.regs {
		if first, n := group(in, &in.Def.Args[i]); first+n > NumR {
			return whyStaging
		}
	}
	return ""
}

// upperBits are the high bits of the source bytes.
const upperBits = 0x80808080

// specials reports a source that is a special value which does not exist; "": none.
func (f *form) specials(in *isa.Inst) string {
	for i := range f.srcs {
		a := &in.Def.Args[f.srcs[i].arg]
		v := a.Get(in.Word)
		if v < firstSpecial {
			continue
		}
		page, n := a.Part(in.Word, partPage), v>>1&(numSpecial-1)
		switch since := specialsSince[page][n]; {
		case specials[page][n] == "":
			return whySpecial
		case since > archOf(in):
			return whyLater(page, n)
		}
	}
	return ""
}

const (
	whyStaging = "the staging registers go beyond r63, the last one"
	whySpecial = "a source is a special value whose number is reserved"
)

// whyLater is the message for a special value of later architectures.
func whyLater(page, n uint64) string {
	return fmt.Sprintf("%s as in v%d and later", specials[page][n], specialsSince[page][n])
}

// bars is check as data.
func (f *form) bars(d *isa.Def) (list []isa.Forbidden) {
	list = f.barsOfLimits(d)
	for i := range f.srcs {
		a := &d.Args[f.srcs[i].arg]
		for page := range specials {
			var no []uint64
			for v := uint64(firstSpecial); v < 1<<8; v++ {
				if specials[page][v>>1&(numSpecial-1)] == "" {
					no = append(no, v)
				}
			}
			of := isa.FieldIn{At: a.Parts[partPage].At, Values: []uint64{uint64(page)}}
			list = append(list, isa.Forbidden{If: []isa.FieldIn{of, {At: a.At, Values: no}}, Why: whySpecial})
			for n, since := range specialsSince[page] {
				if since != 0 {
					list = append(list, isa.Forbidden{Variants: archMask(firstArch, since-1), Why: whyLater(uint64(page), uint64(n)),
						If: []isa.FieldIn{of, {At: a.At, Values: []uint64{uint64(firstSpecial + 2*n), uint64(firstSpecial + 2*n + 1)}}}})
				}
			}
		}
	}
	for _, i := range f.regs {
		a := &d.Args[i]
		later := barsOfGroup(d, a, lastArch)
		if first := barsOfGroup(d, a, firstArch); len(first) != len(later) { // a count of 0 is 8 registers from v11 on
			for k := range first {
				first[k].Variants = archMask(firstArch, 10)
			}
			for k := range later {
				later[k].Variants = archMask(11, lastArch)
			}
			list = append(list, first...)
		}
		list = append(list, later...)
	}
	return list
}

// barsOfGroup are the groups of an operand that extend past the last register.
func barsOfGroup(d *isa.Def, a *isa.Arg, arch int) (list []isa.Forbidden) {
	at := a.Parts[partCount].At
	for v := range uint64(1) << at.Len() {
		in := isa.Inst{Def: d, Word: d.Value(), Var: uint8(arch - firstArch)}
		var held []isa.FieldIn
		if at.Len() > 0 {
			in.Word = a.Parts[partCount].Put(in.Word, v)
			held = append(held, isa.FieldIn{At: at, Values: []uint64{v}})
		}
		var no []uint64
		for first := range uint64(1) << a.At.Len() {
			in.Word = a.Put(in.Word, first)
			if from, n := group(&in, a); from+n > NumR {
				no = append(no, first)
			}
		}
		if no != nil {
			list = append(list, isa.Forbidden{If: append(held, isa.FieldIn{At: a.At, Values: no}), Why: whyStaging})
		}
	}
	return list
}

// canon clears what text does not express: the page if no source uses it, the first register of an empty group, and the
// flags of a group with a single use.
func (f *form) canon(in *isa.Inst) {
	paged := !f.page
	for i := range f.srcs {
		v := in.Def.Args[f.srcs[i].arg].Get(in.Word)
		paged = paged || v >= firstSpecial || v>>6 == isUniform
	}
	if !paged {
		in.Put(namePage, 0)
	}
	for _, i := range f.regs {
		a := &in.Def.Args[i]
		if _, n := group(in, a); n == 0 {
			in.Word = a.Put(in.Word, 0)
		}
	}
}

// def compiles the row to an isa.Def.
func (r *row) def() isa.Def {
	f := r.form
	d := isa.Def{Name: r.name, Also: r.also, Variants: archMask(cmp.Or(r.since, firstArch), cmp.Or(r.until, lastArch)), Enc: word, Op: r.op, Fix: r.fix, Args: f.args, Doc: r.doc, Source: "docs/reference/valhall.md " + r.ref,
		Meaning: r.mean, Form: lifted, Fidelity: cmp.Or(r.fidelity, ir.Exact), Note: r.note, Options: r.options, Data: r}
	if len(r.options) > 0 {
		d.Fidelity = ir.Modelled
	}
	if r.mean == nil {
		d.Lack = cmp.Or(r.lack, isa.LackUnbuilt)
	}
	d.Check, d.Forbids, d.Canon = f.check, f.bars, f.canon
	if check, bars := r.check, r.bars; check != nil {
		d.Check = func(in *isa.Inst) string { return cmp.Or(check(in), f.check(in)) }
		d.Forbids = func(d *isa.Def) []isa.Forbidden { return append(bars(d), f.bars(d)...) }
	}
	return d
}

// notZero rejects a word of zeros, whose fields are those of NOP but which is not an instruction.
func notZero(in *isa.Inst) string {
	if in.Word.Lo == 0 {
		return whyZero
	}
	return ""
}

const whyZero = "a word of zeros is no instruction: it fills the memory after a program, and faults"

// onlyZero is notZero as data.
func onlyZero(*isa.Def) []isa.Forbidden {
	return []isa.Forbidden{{If: []isa.FieldIn{{At: span(0, 63), Values: []uint64{0}}}, Why: whyZero}}
}
