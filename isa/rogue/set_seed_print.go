package rogue

import (
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

func splitOps(text string) []string { return strings.Split(text, ", ") }

// reworded rewrites the text of an instruction from the syntax of its row to that of listings: the inverse of
// seedReader.reword.
func (x *seedPrinter) reworded(in *isa.Inst, name string, ops []string) (string, []string) {
	r := info(in)
	switch c := in.Def.Class; c {
	case group.Test:
		return x.test(r, name, ops)
	case group.Move:
		if in.Has(nameMov0) {
			return "mov" + strings.TrimPrefix(name, spelled(r)), x.move(in, ops)
		}
	case group.Pack:
		return name, x.pack(ops)
	case group.P0, group.P1, group.Bitmask, group.Shift1, group.Count, group.Logical:
		if r.name == "mbyp" || r.name == "byp" {
			name = "mov" + strings.TrimPrefix(name, spelled(r))
		}
	}
	for i, op := range ops {
		if op == "is0" {
			ops[i] = string(appendReg(nil, x.rt.src[x.rt.is0%6], 1, Seed))
		}
	}
	if f := printers[r.layout.name]; f != nil {
		return f(x, in, name, ops)
	}
	for i, op := range ops {
		base, parts, _ := strings.Cut(op, ".")
		for n := range 2 {
			if r.reads&(writeW0<<n) != 0 && base == string([]byte{'w', byte('0' + n)}) {
				ops[i] = x.result(n)
				if parts != "" {
					ops[i] += "." + parts
				}
			}
		}
	}
	return name, ops
}

// pack replaces is3 and fte by the operands of a pack.
func (x *seedPrinter) pack(ops []string) []string {
	for i, op := range ops {
		base, parts, has := strings.Cut(op, ".")
		switch base {
		case "is3":
			x.said[3] = true
			if ops[i] = "s2"; x.rt.iss[3] != 2 {
				ops[i] = x.feed(x.rt.iss[3])
			}
		case "fte":
			ops[i] = x.feed(codeFTE)
		default:
			continue
		}
		if has {
			ops[i] += "." + parts
		}
	}
	return ops
}

// spelled is the mnemonic of a row in listings.
func spelled(r *row) string {
	if len(r.spell) > Seed && r.spell[Seed] != "" {
		return r.spell[Seed]
	}
	return r.name
}

// test replaces is1 and is2 by the operands of a test.
func (x *seedPrinter) test(r *row, name string, ops []string) (string, []string) {
	base := spelled(r)
	test := strings.TrimPrefix(base, "tst")
	mods := strings.Split(strings.TrimPrefix(name, base), ".")
	if i := slices.Index(mods, test); i >= 0 {
		mods = slices.Delete(mods, i, i+1)
	}
	for i := 2; i < len(ops); i++ {
		text, elem, has := strings.Cut(ops[i], ".")
		if text != "is1" && text != "is2" {
			continue
		}
		n := int(text[2] - '0')
		x.said[n] = true
		text = feedNames[4][n-1]
		if x.rt.iss[n] != 0 {
			text = x.feed(codeFTE)
		}
		if has {
			text += "." + elem
		}
		ops[i] = text
	}
	for len(ops) > 2 && ops[len(ops)-1] == "_" {
		ops = ops[:len(ops)-1]
	}
	return base + strings.Join(mods, "."), ops
}

// move prints the operands of moves of phase 2; see seedReader.rewordMove.
func (x *seedPrinter) move(in *isa.Inst, ops []string) []string {
	_, mask, has := strings.Cut(ops[0], ".")
	if !has {
		mask = "e0.e1.e2.e3"
	}
	list := []string{x.result(0) + "." + mask}
	take := func(n isa.Name) string { return x.feed(uint8(in.Get(n))) }
	w1, is4, is5 := uint8(in.Get(nameMov1)), x.rt.iss[4], x.rt.iss[5]
	if info(in).name == "movwm" {
		list = append(list, take(nameMov0))
		more := !x.rt.has[1] && w1 != 0 || x.rt.has[1] && x.rt.reads&writeW1 != 0
		if is4 != 0 || more {
			list, x.said[4] = append(list, x.feed(is4)), true
		}
		if more {
			list = append(list, x.feed(w1))
		}
		return list
	}
	x.said[4] = true
	if !x.rt.has[1] && is5 == 0 && is4 != codeFTE {
		return append(list, x.feed(is4), "ftt", take(nameMov0), x.feed(w1))
	}
	x.said[5] = true
	return append(list, x.result(1), "ftt", take(nameMov0), x.feed(is4), x.feed(w1), x.feed(is5))
}

// printers are the rewriters of instructions that listings print in another way, by encoding.
var printers map[string]func(x *seedPrinter, in *isa.Inst, name string, ops []string) (string, []string)

// seedPrinters makes printers.
func seedPrinters() {
	sample := func(_ *seedPrinter, _ *isa.Inst, name string, o []string) (string, []string) {
		return name, []string{o[1], o[2], o[3], o[4], o[5], o[0], o[6]}
	}
	printers = map[string]func(x *seedPrinter, in *isa.Inst, name string, ops []string) (string, []string){
		"fred": printReduction, "cnd": printCondition, "ditr": printDITR, "branch": printBranch,
		"smp_brief": sample, "smp_exta": sample, "smp_extab": sample, "smp_extabc": sample,
	}
}

func printReduction(x *seedPrinter, _ *isa.Inst, name string, o []string) (string, []string) {
	s3 := "_"
	if x.rt.src[firstUpper] != (reg{}) {
		s3 = string(appendReg(nil, x.rt.src[firstUpper], 1, Seed))
	}
	list := []string{x.result(0), x.result(1), o[2], o[5], o[3], s3}
	name = strings.TrimSuffix(name, ".a")
	if strings.HasSuffix(name, ".b") {
		name = strings.TrimSuffix(name, ".b") + ".partb"
	}
	return name, list
}

// countedIf are the mask counter instructions with a condition.
var countedIf = []string{"CNDST", "CNDEF", "CNDSM", "CNDLT"}

func printCondition(x *seedPrinter, in *isa.Inst, name string, o []string) (string, []string) {
	o = o[1:] // pe
	o[0] = x.result(0)
	if slices.Contains(countedIf, info(in).entry) {
		c := in.Get(namePCnd)
		name = strings.Replace(name, pcndTexts[c], "", 1)
		o = slices.Insert(o, 0, strconv.Itoa(int(c)))
	}
	return name, o
}

func printDITR(_ *seedPrinter, in *isa.Inst, name string, o []string) (string, []string) {
	p := slices.Index(perspectives[:], in.Def.Name)
	name = "ditr" + strings.TrimPrefix(name, in.Def.Name)
	list := append(o[:3:3], o[len(o)-1], strconv.Itoa(p))
	return name, append(list, o[3:len(o)-1]...)
}

func printBranch(_ *seedPrinter, in *isa.Inst, name string, o []string) (string, []string) {
	if strings.HasSuffix(info(in).entry, "L") {
		name = strings.Replace(name, ".link", "", 1)
	}
	return name, o
}
