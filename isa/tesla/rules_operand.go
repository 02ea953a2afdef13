package tesla

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/isa"
)

// Checks of rules about operands.

func breach(a *isa.Arg, format string, args ...any) *isa.Breach {
	b := &isa.Breach{Arg: -1, Msg: fmt.Sprintf(format, args...)}
	if a != nil {
		b.Arg = a.Index()
	}
	return b
}

// argNamed returns the arg of a row by its name, nil if there is none or it is of another kind; kind nil: any.
func argNamed(d *isa.Def, name string, k *isa.Kind) *isa.Arg {
	if a := d.Find(name); a != nil && (k == nil || a.Kind == k) {
		return a
	}
	return nil
}

// Predicates.

func ignoredPredicate(d *isa.Def) isa.RuleCheck {
	a := argNamed(d, "ignored", ignored)
	if a == nil || a.At.Len() != ignoredGuard.At.Len() {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		switch code := a.Get(in.Word) & 31; {
		case code == condAlways || a.Get(in.Word) == condNever:
			return nil
		case conditions[code].name != "":
			return breach(a, "a predicate, %s, stands here, and the instruction looks at none", conditions[code].name)
		default:
			return breach(a, "a predicate, code %d, stands here, and the instruction looks at none", code)
		}
	}
}

func exitPredicate(d *isa.Def) isa.RuleCheck {
	a := argNamed(d, "flow", nil)
	if a == nil || argNamed(d, "guard", nil) == nil || d.Data.(*row).form.asked {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		code, f := in.Get(nameGuard)&31, in.Get(nameFlow)
		if f == 0 || code == condAlways || code == condNever {
			return nil
		}
		return breach(a, "all threads %s, not only those for which %s holds", [...]string{flowExit: "exit", flowJoin: "join"}[f&3], conditions[code].name)
	}
}

// Address registers.

// incremented returns the address register that an instruction increments, and the operand that names it; nil: none
// does. full is the operand that is the only one to use the address register, if there is one.
func incremented(in *isa.Inst, full *isa.Arg) (reg uint64, at *isa.Arg) {
	f := rowOf(in).form
	if !in.Has(nameInc) || in.Get(nameInc) == 0 {
		return 0, nil
	}
	for _, i := range f.located {
		if s, a := f.origin(in, i); s.own && s.read().inc {
			return in.Get(nameAddr), a
		}
	}
	if f.fulls {
		return in.Get(nameAddr), full
	}
	return 0, nil
}

func postIncrement(d *isa.Def) isa.RuleCheck {
	if argNamed(d, "inc", nil) == nil {
		return nil
	}
	full := argNamed(d, "address", nil)
	return func(in *isa.Inst) *isa.Breach {
		reg, at := incremented(in, full)
		if at == nil || reg != 0 && reg != 5 && reg != 6 {
			return nil
		}
		return breach(at, "$a%d is incremented, which traps (ILLEGAL_POSTINCR)", reg)
	}
}

// printedAddress finds sources whose text shows another address than the one that is read.
func printedAddress(d *isa.Def) isa.RuleCheck {
	f := d.Data.(*row).form
	if !slices.ContainsFunc(f.located, func(i int) bool { return f.ops[i].at == longSecond || f.ops[i].at == longThird }) {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		for _, i := range f.located {
			if s, a := f.origin(in, i); s.unlike {
				return breach(a, "the text shows %s, and %s is read", appendAddress([]byte("["), s.address), appendAddress([]byte("["), s.read()))
			}
		}
		return nil
	}
}

func addressWrite(d *isa.Def) isa.RuleCheck {
	a := argNamed(d, "dst", addressRegister)
	if a == nil {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		switch n := a.Get(in.Word); n {
		case 0:
			return breach(a, "$a0 stays 0: the result is lost")
		case 5, 6:
			return breach(a, "there is no $a%d", n)
		case ofWarp:
			return breach(a, "$a7 is written, one register for the whole warp, of which little is known")
		}
		return nil
	}
}

func addressRead(d *isa.Def) isa.RuleCheck {
	full, reg := argNamed(d, "address", nil), argNamed(d, "areg", nil)
	if argNamed(d, "addr", nil) == nil && reg == nil {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		n, at := usedAddress(in, full)
		if reg != nil {
			n, at = reg.Get(in.Word), reg
		}
		switch {
		case at == nil || n < 5 || n < 7 && in.Opt(nameInc) != 0: // see postIncrement
			return nil
		case n == 7:
			return breach(at, "$a7 is read, one register for the whole warp, of which little is known")
		}
		return breach(at, "there is no $a%d", n)
	}
}

// usedAddress returns the number of the address register in an address, and the operand that has it; nil: none has.
func usedAddress(in *isa.Inst, full *isa.Arg) (uint64, *isa.Arg) {
	f := rowOf(in).form
	for _, i := range f.located {
		if s, a := f.origin(in, i); s.own {
			return s.reg, a
		}
	}
	if f.fulls {
		return in.Opt(nameAddr), full
	}
	return 0, nil
}

// Registers.

func registerAlignment(d *isa.Def) isa.RuleCheck {
	var found []*isa.Arg
	for i := range d.Args {
		if k := d.Args[i].Kind; k == pairRegister || k == quadRegister {
			found = append(found, &d.Args[i])
		}
	}
	if len(found) == 0 {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		for _, a := range found {
			z := pair
			if a.Kind == quadRegister {
				z = quad
			}
			if v := a.Get(in.Word); v%uint64(sizes[z].n) != 0 {
				return breach(a, "%s, where %s begin at a multiple of %d: the instruction is illegal", sizes[z].texts[v], [...]string{pair: "pairs", quad: "fours"}[z], sizes[z].n)
			}
		}
		return nil
	}
}

// registerBeyond checks the vectors of texture instructions, which begin at one register.
func registerBeyond(d *isa.Def) isa.RuleCheck {
	type vector struct {
		arg *isa.Arg
		n   func(v uint64) int
	}
	var found []vector
	for i := range d.Args {
		switch a := &d.Args[i]; a.Kind {
		case elements:
			found = append(found, vector{a, bits.OnesCount64})
		case wholeElements:
			found = append(found, vector{a, func(uint64) int { return 4 }})
		case coordinates:
			found = append(found, vector{a, func(v uint64) int { return int(v) + 1 }})
		}
	}
	if len(found) == 0 {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		for _, x := range found {
			if last := int(in.Get(nameDst)) + x.n(x.arg.Get(in.Word)) - 1; last >= NumR {
				return breach(x.arg, "there is no $r%d", last)
			}
		}
		return nil
	}
}

// Memory.

// memoryType checks s[] as first source against the types that the source can have.
func memoryType(d *isa.Def) isa.RuleCheck {
	f := d.Data.(*row).form
	for _, i := range f.located {
		if p := f.ops[i].at; p != shortFirst && p != longFirst && p != immFirst || f.ops[i].size != half {
			continue
		}
		return func(in *isa.Inst) *isa.Breach {
			if s, a := f.origin(in, i); s.what == isShared {
				if wrong := wrongType(in, s.typ); wrong != "" {
					return breach(a, "%s", wrong)
				}
			}
			return nil
		}
	}
	return nil
}

// sharedBytes is the largest size of s[].
const sharedBytes = 16 << 10

func sharedOutside(d *isa.Def) isa.RuleCheck {
	a := argNamed(d, "address", nil)
	if a == nil || a.Kind != shared8 && a.Kind != shared16 && a.Kind != shared32 {
		return nil
	}
	scale := map[*isa.Kind]uint64{shared8: 1, shared16: 2, shared32: 4}[a.Kind]
	return func(in *isa.Inst) *isa.Breach {
		at := a.Get(in.Word) * scale
		if in.Get(nameAddr) != 0 || in.Get(nameInc) != 0 || at < sharedBytes {
			return nil
		}
		return breach(a, "byte %#x of s[], which has at most %#x", at, sharedBytes)
	}
}

func localAlignment(d *isa.Def) isa.RuleCheck {
	a := argNamed(d, "address", local)
	if a == nil {
		return nil
	}
	bytes := uint64(d.Data.(*row).bytes)
	return func(in *isa.Inst) *isa.Breach {
		at := a.Get(in.Word)
		if in.Get(nameAddr) != 0 || in.Get(nameInc) != 0 || at%bytes == 0 {
			return nil
		}
		return breach(a, "byte %#x of l[], and the access has %d", at, bytes)
	}
}

// Resources of a kind of program.

func outputStage(d *isa.Def) isa.RuleCheck {
	return noOutput(d, "o[] in a %s program traps (LD_A_ST_O_NON_VP_GP)", output)
}

func outputResult(d *isa.Def) isa.RuleCheck {
	return noOutput(d, "o[] in a %s program, which has no outputs there", anyResult, halfResult, eitherResult)
}

// noOutput finds o[] as an operand of one of the kinds, in programs that have none.
func noOutput(d *isa.Def, text string, kinds ...*isa.Kind) isa.RuleCheck {
	i := slices.IndexFunc(d.Args, func(a isa.Arg) bool { return slices.Contains(kinds, a.Kind) })
	if i < 0 {
		return nil
	}
	a := &d.Args[i]
	return func(in *isa.Inst) *isa.Breach {
		if in.Stage != CP && in.Stage != FP {
			return nil
		}
		if v := a.Get(in.Word); a.Kind != output && (v < resultOut || v == resultNone) {
			return nil
		}
		return breach(a, text, stages[in.Stage])
	}
}

func quadOutside(d *isa.Def) isa.RuleCheck {
	a := argNamed(d, "quadlane", quadLane)
	if a == nil {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		if in.Stage == FP || a.Get(in.Word) < quadNeighbour {
			return nil
		}
		return breach(a, "%s gives 0 in a %s program", quadLane.Table[a.Get(in.Word)], stages[in.Stage])
	}
}
