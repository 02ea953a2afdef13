package listing

import (
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// seedNames are mnemonics of listings, up to the first dot, that stand for others.
var seedNames = [...]struct{ name, stands string }{{"mul", "fmul"}, {"mad", "fmad"}, {"uvs", "uvsw.write"}, {"brl", "br.link"}, {"bal", "ba.link"},
	{"itrsm1d", "itrsmp1d"}, {"itrsm2d", "itrsmp2d"}, {"itrsm3d", "itrsmp3d"}, {"unpack", "unpck"}, {"sop", "f16sop"}}

// standsFor is the mnemonic that a name of listings stands for; "" if it stands for itself.
func standsFor(name string) string {
	for i := range seedNames {
		if seedNames[i].name == name {
			return seedNames[i].stands
		}
	}
	return ""
}

// A rewrite is a statement in the syntax of the rows, and the positions that its bytes come from.
type rewrite struct {
	text []byte
	from []int32
}

// put appends a text that is at a position of the line.
func (w *rewrite) put(text string, at int) {
	for i := range len(text) {
		w.text = append(w.text, text[i])
		w.from = append(w.from, int32(at+i))
	}
}

// add appends a text that replaces what is at a position.
func (w *rewrite) add(text string, at int) {
	for i := range len(text) {
		w.text = append(w.text, text[i])
		w.from = append(w.from, int32(at))
	}
}

// place is the position that byte i comes from.
func (w *rewrite) place(i, end int) int {
	if i >= 0 && i < len(w.from) {
		return int(w.from[i])
	}
	return end
}

// statement appends a statement: its mnemonic and its operands.
func (w *rewrite) statement(st *statement) {
	w.put(st.text, st.at)
	for i, op := range st.ops {
		lead := ", "
		if i == 0 {
			lead = " "
		}
		w.add(lead, op.at)
		if op.text == "" {
			w.add("_", op.at)
		}
		w.put(op.text, op.at)
	}
}

// bitNames are mnemonics of the bit unit only.
var bitNames = []string{"msk", "shfl", "shuffle", "rev", "lsl", "shr", "rol", "cps", "asr", "cbs", "ftb", "and", "or", "xor", "nor", "nand", "xnor", "byp", "tz", "tnz"}

// feed is the number of a feed-through ft0 to ft5; -1 for other text.
func feed(text string) int {
	if len(text) >= 3 && text[:2] == "ft" && text[2] >= '0' && text[2] <= '5' && (len(text) == 3 || text[3] == '.') {
		return int(text[2] - '0')
	}
	return -1
}

// isBits reports whether a statement is an instruction of the bit unit.
func isBits(st *statement) bool {
	base, _, _ := strings.Cut(st.text, ".")
	if slices.Contains(bitNames, base) || feed(st.op(0)) >= 3 {
		return true
	}
	return base == "mov" && (feed(st.op(0)) == 2 && !masked(st.op(0)) || st.op(0) == "ft0" && st.op(1) == "ft1" && len(st.ops) >= 3)
}

// masked reports whether an operand selects bytes.
func masked(op string) bool { return strings.Contains(op, ".") }

// parts parses the statements one after another.
func (r *reader) parts() error {
	r.bits = slices.ContainsFunc(r.list, func(st statement) bool { return isBits(&st) })
	for i := range r.list {
		st := &r.list[i]
		if st.text == "mov" && len(st.ops) == 2 && !masked(st.op(0)) && feed(st.op(0)) < 0 {
			r.outs = append(r.outs, outgoing{st.ops[0], st.ops[1]})
			continue
		}
		if base, _, _ := strings.Cut(st.text, "."); i+1 < len(r.list) && (base == "sop" || base == "f16sop") && r.combine(st, &r.list[i+1]) {
			r.list[i+1].text = ""
		}
		if st.text == "" {
			continue
		}
		if err := r.instruction(st); err != nil {
			return err
		}
	}
	return nil
}

// instruction parses a statement that is an instruction.
func (r *reader) instruction(st *statement) error {
	base, mods, _ := strings.Cut(st.text, ".")
	if name := standsFor(base); name != "" && !(base == "mad" || base == "mul") {
		if mods != "" && !(base == "uvs") {
			name += "." + mods
		}
		st.text = name
		base, _, _ = strings.Cut(name, ".")
	}
	if err := r.reword(st, base); err != nil {
		return err
	}
	classes := r.classes(st)
	swapped := r.swap(st)
	err := r.phrase(st, classes)
	if err != nil && swapped {
		st.ops[1], st.ops[2] = st.ops[2], st.ops[1]
		return r.phrase(st, classes)
	}
	return err
}

// phrase parses a statement as an instruction of one of the classes.
func (r *reader) phrase(st *statement, classes []uint8) error {
	var w rewrite
	w.statement(st)
	return r.text.Part(classes, string(w.text), func(i int) int { return w.place(i, st.end) })
}

// byFeed are the classes whose instructions drive a feed-through, of the main unit and of the bit unit.
var byFeed = [6][2][]uint8{
	{{group.P0, group.P0Elements}, {group.Bitmask}}, {{group.P1}, nil}, {{group.Pack}, {group.Shift1}}, {nil, {group.Count}}, {nil, {group.Logical}}, {nil, {group.Shift2}},
}

// classes are the possible classes of a statement.
func (r *reader) classes(st *statement) (list []uint8) {
	unit := 0
	if r.bits {
		unit = 1
	}
	if strings.HasPrefix(st.text, "movc") || strings.HasPrefix(st.text, "movwm") {
		return []uint8{group.Move}
	}
	if n := feed(st.op(0)); n >= 0 {
		for _, d := range r.s.Target.Rows(r.known(st.text)) {
			if slices.Contains(byFeed[n][unit], d.Class) {
				return byFeed[n][unit]
			}
		}
	}
	first := r.has(group.P0) || r.has(group.P0Elements)
	for _, d := range r.s.Target.Rows(r.known(st.text)) {
		c := d.Class
		if slices.Contains(list, c) || c == group.P1 && !first || (c == group.P0 || c == group.P0Elements) && first && r.eitherPhase(st) {
			continue
		}
		list = append(list, c)
	}
	if list == nil {
		return []uint8{group.P0}
	}
	slices.Sort(list)
	return list
}

func (r *reader) has(class uint8) bool { return group.Find(r.g.Bundle, class) != nil }

// eitherPhase reports whether an instruction could be in phase 1.
func (r *reader) eitherPhase(st *statement) bool {
	return slices.ContainsFunc(r.s.Target.Rows(r.known(st.text)), func(d *isa.Def) bool { return d.Class == group.P1 })
}

// commute are mnemonics whose first two sources may be exchanged.
var commute = []string{"fadd", "fmul", "fmad", "mul", "mad", "umadd32", "smadd32", "imadd32", "umadd64", "smadd64", "imadd64"}

// swap exchanges the first two sources of a sum or product if only then both can be encoded: s1 and s4 hold no shared
// registers.
func (r *reader) swap(st *statement) bool {
	base, _, _ := strings.Cut(st.text, ".")
	if len(st.ops) < 3 || !slices.Contains(commute, base) || feed(st.op(0)) < 0 || base[0] != 'f' && base[0] != 'm' && strings.Contains(st.text, "64") {
		return false
	}
	a, okA := r.register(st.ops[1])
	b, okB := r.register(st.ops[2])
	if !okA || !okB || fits(1, b) || !fits(1, a) {
		return false
	}
	st.ops[1], st.ops[2] = st.ops[2], st.ops[1]
	return true
}

// register is the register that an operand names, with or without modifiers after it.
func (r *reader) register(op token) (x group.Operand, ok bool) {
	s := r.s
	at := s.Pos
	s.Pos = op.at
	x, ok = r.set.ReadRegister(s)
	s.Pos = at
	return x, ok
}

// whole is register for an operand without modifiers.
func (r *reader) whole(op token) (group.Operand, error) {
	s := r.s
	s.Pos = op.at
	x, ok := r.set.ReadRegister(s)
	if !ok {
		return x, s.Err()
	}
	if s.Pos != op.at+len(op.text) {
		return x, r.wrong(s.Pos, isa.ErrSyntax, "nothing stands behind this register")
	}
	return x, nil
}
