package listing

import (
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

func splitOps(text string) []string { return strings.Split(text, ", ") }

// reworded rewrites the text of an instruction from the syntax of its row to that of listings: the inverse of
// reader.reword.
func (x *printer) reworded(in *isa.Inst, name string, ops []string) (string, []string) {
	r := x.set.Row(in.Def)
	switch c := in.Def.Class; c {
	case group.Test:
		return x.test(&r, name, ops)
	case group.Move:
		if in.Def.Find(FieldMove0) != nil {
			return "mov" + strings.TrimPrefix(name, r.Spelling), x.move(in, ops)
		}
	case group.Pack:
		return name, x.pack(ops)
	case group.P0, group.P1, group.Bitmask, group.Shift1, group.Count, group.Logical:
		if r.Name == "mbyp" || r.Name == "byp" {
			name = "mov" + strings.TrimPrefix(name, r.Spelling)
		}
	}
	for i, op := range ops {
		if op == "is0" {
			ops[i] = string(x.set.AppendRegister(nil, x.rt.Src[x.rt.IS0%6]))
		}
	}
	for i := range printers {
		if slices.Contains(printers[i].encodings, r.Encoding) {
			return printers[i].print(x, in, name, ops)
		}
	}
	for i, op := range ops {
		base, parts, _ := strings.Cut(op, ".")
		for n := range 2 {
			if r.Writes[n] && base == string([]byte{'w', byte('0' + n)}) {
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
func (x *printer) pack(ops []string) []string {
	for i, op := range ops {
		base, parts, has := strings.Cut(op, ".")
		switch base {
		case "is3":
			x.said[3] = true
			if ops[i] = "s2"; x.rt.Sel[3] != 2 {
				ops[i] = x.feed(x.rt.Sel[3])
			}
		case "fte":
			ops[i] = x.feed(group.FTE)
		default:
			continue
		}
		if has {
			ops[i] += "." + parts
		}
	}
	return ops
}

// test replaces is1 and is2 by the operands of a test.
func (x *printer) test(r *Row, name string, ops []string) (string, []string) {
	base := r.Spelling
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
		text = group.FeedNames[4][n-1]
		if x.rt.Sel[n] != 0 {
			text = x.feed(group.FTE)
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

// move prints the operands of moves of phase 2; see reader.rewordMove.
func (x *printer) move(in *isa.Inst, ops []string) []string {
	_, mask, has := strings.Cut(ops[0], ".")
	if !has {
		mask = "e0.e1.e2.e3"
	}
	list := []string{x.result(0) + "." + mask}
	take := func(name string) string { return x.feed(uint8(field(in, name))) }
	w1, is4, is5 := uint8(field(in, FieldMove1)), x.rt.Sel[4], x.rt.Sel[5]
	if x.set.Row(in.Def).Name == "movwm" {
		list = append(list, take(FieldMove0))
		more := !x.rt.Has[1] && w1 != 0 || x.rt.Has[1] && x.rt.Writes[1]
		if is4 != 0 || more {
			list, x.said[4] = append(list, x.feed(is4)), true
		}
		if more {
			list = append(list, x.feed(w1))
		}
		return list
	}
	x.said[4] = true
	if !x.rt.Has[1] && is5 == 0 && is4 != group.FTE {
		return append(list, x.feed(is4), "ftt", take(FieldMove0), x.feed(w1))
	}
	x.said[5] = true
	return append(list, x.result(1), "ftt", take(FieldMove0), x.feed(is4), x.feed(w1), x.feed(is5))
}

// printers are the rewriters of instructions that listings print in another way, by encoding.
var printers = [...]struct {
	encodings []string
	print     func(x *printer, in *isa.Inst, name string, ops []string) (string, []string)
}{
	{[]string{"fred"}, printReduction}, {[]string{"cnd"}, printCondition}, {[]string{"ditr"}, printDITR}, {[]string{"branch"}, printBranch},
	{[]string{"smp_brief", "smp_exta", "smp_extab", "smp_extabc"}, printSample},
}

func printSample(_ *printer, _ *isa.Inst, name string, o []string) (string, []string) {
	return name, []string{o[1], o[2], o[3], o[4], o[5], o[0], o[6]}
}

func printReduction(x *printer, _ *isa.Inst, name string, o []string) (string, []string) {
	s3 := "_"
	if x.rt.Src[group.FirstUpper] != 0 {
		s3 = string(x.set.AppendRegister(nil, x.rt.Src[group.FirstUpper]))
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

func printCondition(x *printer, in *isa.Inst, name string, o []string) (string, []string) {
	o = o[1:] // pe
	o[0] = x.result(0)
	if slices.Contains(countedIf, x.set.Row(in.Def).Entry) {
		c := field(in, FieldCondition)
		name = strings.Replace(name, pcndTexts[c], "", 1)
		o = slices.Insert(o, 0, strconv.Itoa(int(c)))
	}
	return name, o
}

func printDITR(_ *printer, in *isa.Inst, name string, o []string) (string, []string) {
	p := slices.Index(perspectives[:], in.Def.Name)
	name = "ditr" + strings.TrimPrefix(name, in.Def.Name)
	list := append(o[:3:3], o[len(o)-1], strconv.Itoa(p))
	return name, append(list, o[3:len(o)-1]...)
}

func printBranch(x *printer, in *isa.Inst, name string, o []string) (string, []string) {
	if strings.HasSuffix(x.set.Row(in.Def).Entry, "L") {
		name = strings.Replace(name, ".link", "", 1)
	}
	return name, o
}
