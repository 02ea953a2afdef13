package listing

import (
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Rewriting of listings into the syntax of the rows. docs/reference/rogue.md 9.

// reword rewrites a statement into the syntax of the rows: operands in their order, w0 and is1 in place of registers.
func (r *reader) reword(st *statement, base string) error {
	switch {
	case st.text != "mov" && strings.HasPrefix(base, "tst") || base == "tst":
		return r.rewordTest(st)
	case base == "mov" && (masked(st.op(0)) || st.op(2) == "ftt"), base == "movc", base == "movwm":
		return r.rewordMove(st)
	case base == "pck", base == "converttof64", feed(st.op(0)) == 2 && !r.bits && (base == "fmul" || base == "fadd" || base == "mul"):
		return r.rewordPack(st)
	}
	for i := range rewords {
		x := &rewords[i]
		if slices.Contains(x.names, base) || slices.ContainsFunc(x.begin, func(text string) bool { return strings.HasPrefix(base, text) }) {
			return x.reword(r, st)
		}
	}
	if isNarrow(base) {
		for i := range st.ops {
			st.ops[i].text = strings.TrimSuffix(st.ops[i].text, ".e0")
		}
	}
	return r.results(st)
}

// rewords are the rewriters of instructions, by their name or how it begins.
var rewords = [...]struct {
	names, begin []string
	reword       func(r *reader, st *statement) error
}{
	{names: []string{"and", "or", "xor", "nor", "nand", "xnor"}, reword: (*reader).rewordLogical},
	{names: []string{"f16sop", "sopmov", "sopu8madmov"}, reword: (*reader).rewordSOP},
	{names: []string{"asr"}, reword: (*reader).rewordShift},
	{names: []string{"fred"}, reword: (*reader).rewordReduction},
	{begin: []string{"smp"}, reword: (*reader).rewordSample},
	{begin: []string{"itrsmp"}, reword: (*reader).rewordIteratedSample},
	{names: []string{"ditr"}, reword: (*reader).rewordDITR},
	{names: []string{"fitr"}, reword: (*reader).rewordFITR},
	{names: []string{"uvsw", "setl", "depthf", "tessw"}, reword: (*reader).rewordOutput},
	{begin: []string{"cnd"}, reword: (*reader).rewordCondition},
	{names: []string{"br", "ba", "brl", "bal"}, reword: func(*reader, *statement) error { return nil }},
	{begin: []string{"umadd", "smadd", "imadd", "add64", "uadd64", "sadd64"}, reword: (*reader).rewordWide},
}

func isNarrow(base string) bool {
	return len(base) >= 5 && (base[0] == 'u' || base[0] == 'i') && (strings.HasSuffix(base, "8") || strings.HasSuffix(base, "16")) && (base[1:4] == "add" || base[1:4] == "mul" || base[1:4] == "mad")
}

// selector sets an internal selector, unless .route gives it.
func (r *reader) selector(n int, code uint8) {
	if !r.routed[n] {
		r.g.Sel[n] = code
	}
}

// feedOf is the code of a feed-through, or FTE for a register, which becomes a source.
func (r *reader) feedOf(op token) (code uint8, err error) {
	text, _, _ := strings.Cut(op.text, ".")
	switch n := feed(text); {
	case n >= 0 && n <= group.FT2:
		return uint8(n), nil
	case n >= 0:
		return 0, r.wrong(op.at, isa.ErrOperand, "ft0, ft1, ft2 or a register is expected")
	case text == "fte" || text == "is0":
		return group.FTE, nil
	}
	x, ok := r.register(op)
	if !ok {
		return 0, r.s.Err()
	}
	if r.source.text == "" {
		r.source = token{text, op.at}
		return group.FTE, nil
	}
	if old, _ := r.register(r.source); old != x {
		return 0, r.wrong(op.at, isa.ErrOperand, "a second register that no phase reads: phase 2 and results take one, here "+r.source.text)
	}
	return group.FTE, nil
}

// rewordTest rewrites tstz.s32 ftt, _, sh0 as tst.z.s32 ftt, _, is1, _.
func (r *reader) rewordTest(st *statement) error {
	base, mods, _ := strings.Cut(st.text, ".")
	test := strings.TrimPrefix(base, "tst")
	if test != "" {
		st.text = "tst." + test
		if mods != "" {
			st.text += "." + mods
		}
	}
	for i := 2; i < len(st.ops) && i < 4; i++ {
		op := &st.ops[i]
		text, elem, has := strings.Cut(op.text, ".")
		if text == "_" || text == "" {
			continue
		}
		if text != "is1" && text != "is2" {
			code, err := r.feedOf(*op)
			if err != nil {
				return err
			}
			own := uint8(i - 2) // ft0 for is1, ft1 for is2
			if code != group.FTE && code != own {
				return r.wrong(op.at, isa.ErrOperand, "a test compares ft0 or a register with ft1 or a register")
			}
			r.selector(i-1, code/group.FTE)
		}
		op.text = "is" + strconv.Itoa(i-1)
		if has && elem != "e0" {
			op.text += "." + elem
		}
	}
	for len(st.ops) < 4 {
		st.ops = append(st.ops, token{"_", st.end})
	}
	ownElements(st.ops[2:4])
	return nil
}

// ownElements gives the first element to the operand of a test that names none, if the other names another element: an
// encoding has one for both, and in text a single one applies to both.
func ownElements(ops []token) {
	for i := range ops {
		other := ops[1-i].text
		if ops[i].text == "is"+strconv.Itoa(i+1) && other != "_" && strings.Contains(other, ".e") && !strings.Contains(other, ".f16") {
			ops[i].text += ".e0"
		}
	}
}

// rewordPack rewrites pck.s32 ft2, sh0 as pck.s32 ft2, is3, and mul ft2, is0, ft0 as fmul ft2, is3, fte.
func (r *reader) rewordPack(st *statement) error {
	if base, _, _ := strings.Cut(st.text, "."); base != "pck" && len(st.ops) == 3 && feed(st.ops[1].text) < 0 && feed(st.ops[2].text) >= 0 && feed(st.ops[1].text) != 2 {
		st.ops[1], st.ops[2] = st.ops[2], st.ops[1]
	}
	from := 1
	if strings.HasPrefix(st.text, "convert") {
		from = 2
	}
	for i := from; i < len(st.ops) && i < from+2; i++ {
		op := &st.ops[i]
		text, parts, has := strings.Cut(op.text, ".")
		if text == "_" || text == "is3" || text == "" {
			continue
		}
		code, err := uint8(2), error(nil)
		if text != "s2" || i > from {
			code, err = r.feedOf(*op)
		}
		switch {
		case err != nil:
			return err
		case i == from && code == group.FT2 && text != "s2", i > from && code != group.FTE:
			return r.wrong(op.at, isa.ErrOperand, "phase 2 takes ft0, ft1 or a register, and as a second value a register")
		}
		if i == from {
			r.selector(3, code)
			op.text = "is3"
		} else {
			op.text = "fte"
		}
		if has {
			op.text += "." + parts
		}
	}
	return nil
}

// rewordLogical rewrites and ft4, ft2, sh0 as and ft4, _, ft2, _, sh0.
func (r *reader) rewordLogical(st *statement) error {
	if len(st.ops) == 3 && st.ops[1].text == "ft2" {
		none := token{"_", st.ops[1].at}
		st.ops = []token{st.ops[0], none, st.ops[1], none, st.ops[2]}
	}
	return nil
}

// rewordShift rewrites asr ft5, ft4, sh0, ft3 as asr.ftb ft5, ft4, sh0.
func (r *reader) rewordShift(st *statement) error {
	if len(st.ops) == 4 && st.text == "asr" {
		from := map[string]string{"ft3": ".ftb", "ft0": ".mtb"}[st.ops[3].text]
		if from == "" {
			return r.wrong(st.ops[3].at, isa.ErrOperand, "the bit of the sign is in ft3 or ft0")
		}
		st.text, st.ops = st.text+from, st.ops[:3]
	} else if st.text == "asr" {
		st.text = "asr.twb"
	}
	if len(st.ops) == 3 {
		if w := st.ops[2].text; len(w) == 2 && w[0] == 's' && w[1] >= '0' && w[1] <= '5' && w != "s4" {
			r.alias[4] = int8(w[1]-'0') + 1
			st.ops[2].text = "s4"
		}
	}
	return nil
}

// rewordReduction rewrites fred.sin i1, i0, _, 0, sh0, r1 as fred.sin w0, w1, _, sh0, s3, 0.
func (r *reader) rewordReduction(st *statement) error {
	if len(st.ops) != 5 && len(st.ops) != 6 {
		return r.wrong(st.at, isa.ErrOperand, "fred has operands w0, w1, p0 or _, a number of iterations, an angle, and the data of the part before or _")
	}
	for i := range 2 {
		if err := r.dest(&st.ops[i], i); err != nil {
			return err
		}
	}
	s3 := token{"_", st.end}
	if len(st.ops) == 6 && st.ops[5].text != "" && st.ops[5].text != "_" {
		x, err := r.whole(st.ops[5])
		if err != nil {
			return err
		}
		Pick(r.s, group.FirstUpper, x)
		s3 = token{"s3", st.ops[5].at}
	}
	st.ops = []token{st.ops[0], st.ops[1], st.ops[2], st.ops[4], s3, st.ops[3]}
	return nil
}

// dest reads the register of an operand as the destination of result i; the operand becomes w0 or w1, with its
// modifiers.
func (r *reader) dest(op *token, i int) error {
	text := string([]byte{'w', byte('0' + i)})
	base, parts, has := strings.Cut(op.text, ".")
	out := text
	if has {
		out += "." + parts
	}
	if base == "" || base == "_" || base == text || feed(base) >= 0 {
		op.text = out
		return nil
	}
	x, err := r.whole(token{base, op.at})
	if err != nil {
		return err
	}
	op.text = out
	return r.write(i, x, op.at)
}

// write sets the destination of result i.
func (r *reader) write(i int, x group.Operand, at int) error {
	if r.g.HasDst[i] && r.g.Dst[i] != x {
		return r.wrong(at, isa.ErrOperand, "w"+string(rune('0'+i))+" goes to one register, here "+string(r.set.AppendRegister(nil, r.g.Dst[i])))
	}
	r.g.Dst[i], r.g.HasDst[i] = x, true
	return nil
}

// results reads the destinations in an instruction that drives w0 or w1 itself.
func (r *reader) results(st *statement) error {
	rows := r.s.Target.Rows(r.known(st.text))
	if len(rows) == 0 || len(st.ops) == 0 {
		return nil
	}
	writes := r.set.Row(rows[0]).Writes
	if writes[0] {
		if err := r.dest(&st.ops[0], 0); err != nil {
			return err
		}
	}
	if writes[1] && len(st.ops) > 1 {
		return r.dest(&st.ops[1], 1)
	}
	return nil
}
