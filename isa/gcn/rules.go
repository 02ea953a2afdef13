package gcn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// The rules that an instruction keeps to by itself. What breaks one of severity error decodes and prints, and runs as far as
// its meaning is known; assemblers refuse it and lint reports it. What a field cannot hold at all is no rule: its kind
// refuses the text. docs/reference/gcn.md 2.

// rules are those of single instructions.
func rules() []isa.Rule {
	return []isa.Rule{
		{ID: "constant-bus", Doc: "A vector instruction reads one scalar value: a scalar register or pair, a flag or a literal.",
			Source: "docs/reference/gcn.md 2.5", Example: "v_add_f32_e64 v0, s1, s2", Check: constantBus},
		{ID: "sgpr-alignment", Doc: "Scalar pairs begin at even numbers, longer runs at multiples of 4.",
			Source: "docs/reference/gcn.md 2.4", Example: "s_mov_b64 s[1:2], s[4:5]", Check: sgprAlignment},
		{ID: "reserved-source", Doc: "A source is no code that these generations reserve.",
			Source: "docs/reference/gcn.md 2.1", Example: "v_mov_b32_e32 v0, src_shared_base", Check: reservedSource},
	}
}

// A check says how an instruction breaks a rule.
type check = func(in *isa.Inst) *isa.Breach

// isVector reports whether a row is in a layout of vector arithmetic.
func isVector(d *isa.Def) bool { return strings.HasPrefix(d.Enc.Name, "VOP") }

// scalarSources are the operands of a row whose codes may name scalar registers among other things.
func scalarSources(d *isa.Def) (args []*isa.Arg) {
	for i := range d.Args {
		a := &d.Args[i]
		if (strings.HasPrefix(a.Name, "src") || strings.HasPrefix(a.Name, "ssrc") || a.Name == "soffset") && len(a.Kind.Table) >= 256 && strings.HasPrefix(a.Kind.Table[0], "s") {
			args = append(args, a)
		}
	}
	return args
}

// shown is the text of a source operand without what stands around it.
func shown(in *isa.Inst, a *isa.Arg) string {
	if v := a.Get(in.Word); v != codeLiteral {
		return a.Kind.Table[v]
	}
	return "a literal constant"
}

// A scalarValue is one that a vector instruction reads: a register by its code and how many words of it are read, or a flag
// or the literal by its code.
type scalarValue struct{ code, words int }

// constantBus compares values as LLVM does: parts of a pair are others than the pair, and LDS_DIRECT does not count.
func constantBus(d *isa.Def) check {
	if !isVector(d) {
		return nil
	}
	args := scalarSources(d)
	hidden, name := scalarValue{code: -1}, ""
	switch vcc := readsHidden(d, hiddenVCC); {
	case vcc || hasOperand(d, "cin"):
		hidden, name = scalarValue{codeVCC, 2}, "vcc"
	case hasOperand(d, "k"):
		hidden, name = scalarValue{code: codeLiteral}, "a literal constant"
	}
	if len(args) == 0 || len(args) == 1 && hidden.code < 0 {
		return nil
	}
	// The number of the lane may be in M0 beside a scalar source.
	lane := strings.HasPrefix(d.Name, "v_writelane")
	return func(in *isa.Inst) *isa.Breach {
		had, first := hidden, (*isa.Arg)(nil)
		for _, a := range args {
			v := scalarValue{code: int(a.Get(in.Word))}
			switch {
			case v.code >= codeVGPR || v.code >= codeInt0 && v.code < codeVCCZ || v.code == codeLDSDirect || v.code == codeM0 && lane:
				continue
			case v.code < codeInt0:
				v.words = (a.Width + 31) / 32
			}
			if had.code < 0 {
				had, first = v, a
			}
			if v == had {
				continue
			}
			other := name
			if first != nil {
				other = shown(in, first)
			}
			return &isa.Breach{Arg: a.Index(), Msg: fmt.Sprintf("reads %s and %s, where a vector instruction reads one scalar value", other, shown(in, a)),
				Hint: "v_mov_b32 copies a scalar value to a vector register"}
		}
		return nil
	}
}

// hasOperand reports whether a row has an operand of that name.
func hasOperand(d *isa.Def, name string) bool {
	return slices.ContainsFunc(d.Args, func(a isa.Arg) bool { return a.Name == name })
}

// readsHidden reports whether instructions of a row read a cell that no operand names.
func readsHidden(d *isa.Def, h hidden) bool {
	for i := range d.Implicit {
		if m := &d.Implicit[i]; m.Name == hiddenCells[h].name && m.Role != isa.Define {
			return true
		}
	}
	return false
}

// sgprAlignment looks at the operands that name several scalar registers.
func sgprAlignment(d *isa.Def) check {
	type run struct {
		arg   *isa.Arg
		shift int // of the code of the first register
		low   int // bits of it that are 0
	}
	var runs []run
	for i := range d.Args {
		a := &d.Args[i]
		if len(a.At) == 0 || a.Kind.Cells == nil {
			continue
		}
		// The value 4 stands for s4, or s8 or s16 where the number is divided.
		for _, s := range a.Kind.Cells(nil, &isa.Inst{Def: d}, a, 4) {
			if s.File != FileS || s.N < 2 {
				continue
			}
			shift := 0
			for 4<<shift < int(s.Index) {
				shift++
			}
			runs = append(runs, run{a, shift, min(s.N, 4) - 1})
		}
	}
	if len(runs) == 0 {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		for i := range runs {
			r := &runs[i]
			v := int(r.arg.Get(in.Word)) << r.shift
			if v < codeInt0 && v&r.low != 0 {
				return &isa.Breach{Arg: r.arg.Index(), Msg: fmt.Sprintf("%s begins at a number that is no multiple of %d",
					r.arg.Kind.Table[v>>r.shift], r.low+1)}
			}
		}
		return nil
	}
}

func reservedSource(d *isa.Def) check {
	args := scalarSources(d)
	if len(args) == 0 {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		for _, a := range args {
			if v := a.Get(in.Word); v < codeVGPR && reservedNames[v] != "" {
				return &isa.Breach{Arg: a.Index(), Msg: fmt.Sprintf("%s is a register of later generations; its code %d is reserved here", reservedNames[v], v)}
			}
		}
		return nil
	}
}
