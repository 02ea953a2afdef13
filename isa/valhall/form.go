package valhall

import (
	"cmp"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// newForm makes a form: modifiers of the mnemonic in the order in which they print, the flow behind them, and operands.
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
		case o.arg.Kind == staged || o.arg.Kind == stagedResult:
			f.regs, placed = append(f.regs, at), true
		}
	}
	if !placed && (len(f.args) == 0 || f.args[len(f.args)-1].Name != placeholder.Name) {
		f.args = append(f.args, placeholder)
	}
	return f
}

// check says why fields do not go together; "": they do.
func (f *form) check(in *isa.Inst) string {
	if x := in.Word.Get(sourceBytes) & f.bytes; x&(x<<1)&(x<<2)&upperBits != 0 { // a byte is not below firstSpecial
		if msg := f.specials(in); msg != "" {
			return msg
		}
	}
	for _, i := range f.regs {
		if first, n := group(in, &in.Def.Args[i]); first+n > NumR {
			return "staging registers behind the last"
		}
	}
	return ""
}

// upperBits are the upper bits of the bytes in which sources stand.
const upperBits = 0x80808080

// specials says that a source is a special value that there is not; "": none is.
func (f *form) specials(in *isa.Inst) string {
	for i := range f.srcs {
		a := &in.Def.Args[f.srcs[i].arg]
		if v := a.Get(in.Word); v >= firstSpecial && specials[a.Part(in.Word, partPage)][v>>1&(numSpecial-1)] == "" {
			return "a special value that is reserved"
		}
	}
	return ""
}

// canon clears what no text tells: the page where no source is of one, the first register of a group without registers, and
// what is done with the registers of a group that has one use only.
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
		if a.Kind == staged && a.Part(in.Word, partCount) == 0 {
			in.Word = a.Put(in.Word, 0)
		}
	}
}

// def is the row compiled as isa wants it.
func (r *row) def() isa.Def {
	f := r.form
	d := isa.Def{Name: r.name, Also: r.also, Variants: 1, Enc: word, Op: r.op, Fix: r.fix, Args: f.args, Doc: r.doc, Source: "docs/reference/valhall.md " + r.ref,
		Meaning: r.mean, Form: lifted, Fidelity: cmp.Or(r.fidelity, ir.Exact), Note: r.note, Options: r.options, Data: r}
	if len(r.options) > 0 {
		d.Fidelity = ir.Modelled
	}
	if r.mean == nil {
		d.Lack = cmp.Or(r.lack, isa.LackUnbuilt)
	}
	if len(f.srcs)+len(f.regs) > 0 {
		d.Check, d.Canon = f.check, f.canon
	}
	if r.check != nil {
		d.Check = r.check
	}
	return d
}

// notZero: a word of zeros is no instruction, although its fields are those of NOP.
func notZero(in *isa.Inst) string {
	if in.Word.Lo == 0 {
		return "a word of zeros faults: it pads programs behind their end"
	}
	return ""
}
