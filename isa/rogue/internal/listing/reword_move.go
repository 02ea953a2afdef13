package listing

import (
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// rewordMove rewrites moves of phase 2. docs/reference/rogue.md 9:
//
//	mov r0.e0.e1.e2.e3, ft0             w0 = ft0
//	mov r0.e0, ft0, ft1, ft2            byte 0 of w0 = ft0, the others ft1; w1 = ft2
//	mov r0.e0.e1.e2.e3, ft1, ftt, ft0, ft1   if ftt, w0 = ft0, else ft1; w1 would be ft1
//	movc r0, r1, ftt, ft0, ft1          and w1 = ft1; else they keep the results of the existing phases
//	movc r0, r1, ftt, ft0, ft1, ft2, ft0     after each source of w0 and w1 comes what the result keeps
func (r *reader) rewordMove(st *statement) error {
	if len(st.ops) < 2 {
		return r.wrong(st.end, isa.ErrOperand, "a move has a result and a feed-through")
	}
	to, mask, _ := strings.Cut(st.ops[0].text, ".")
	op := token{to, st.ops[0].at}
	if err := r.dest(&op, 0); err != nil {
		return err
	}
	if mask != "" && mask != "e0.e1.e2.e3" {
		op.text += "." + mask
	}
	st.ops[0] = op
	if st.op(2) != "ftt" {
		return r.rewordAlways(st)
	}
	st.text = "movc"
	if len(st.ops) != 5 && len(st.ops) != 7 {
		return r.wrong(st.at, isa.ErrOperand, "a conditional move has five operands, or seven: w0, w1, ftt, what w0 takes, what it keeps, and the same of w1")
	}
	list := []token{st.ops[0], {"w1", st.ops[1].at}, st.ops[2]}
	keep0, keep1, err := r.kept(st)
	if err != nil {
		return err
	}
	last := 4
	if len(st.ops) == 7 {
		last = 5
	}
	for i, at := range [...]int{3, last} {
		code, err := r.feedOf(st.ops[at])
		if err != nil {
			return err
		}
		list = append(list, token{group.FeedNames[4][code], st.ops[at].at}, token{"is" + strconv.Itoa(4+i), st.ops[at].at})
	}
	r.selector(4, keep0)
	r.selector(5, keep1)
	st.ops = list
	return nil
}

// kept returns what a conditional move leaves in w0 and w1 if the test fails. It also reads the destination of w1.
func (r *reader) kept(st *statement) (w0, w1 uint8, err error) {
	if n := feed(st.ops[1].text); len(st.ops) == 5 && (n >= 0 || st.ops[1].text == "fte") {
		w0, err = r.feedOf(st.ops[1])
		return w0, 0, err
	}
	if err = r.dest(&st.ops[1], 1); err != nil {
		return 0, 0, err
	}
	if len(st.ops) == 7 {
		if w0, err = r.feedOf(st.ops[4]); err == nil {
			w1, err = r.feedOf(st.ops[6])
		}
		return w0, w1, err
	}
	var driven []uint8 // by the phases that exist, the last first
	for _, x := range [...]struct {
		code  uint8
		class uint8
	}{{group.FT2, group.Pack}, {group.FT1, group.P1}, {group.FT0, group.P0}, {group.FT0, group.P0Elements}} {
		if r.has(x.class) {
			driven = append(driven, x.code)
		}
	}
	driven = append(driven, 0, 0)
	return driven[0], driven[1], nil
}

// rewordAlways is rewordMove for a move without a test.
func (r *reader) rewordAlways(st *statement) error {
	st.text = "movwm"
	if len(st.ops) > 4 {
		return r.wrong(st.ops[4].at, isa.ErrOperand, "a move has a result, what it takes, what the other bytes keep, and what w1 takes")
	}
	code, err := r.feedOf(st.ops[1])
	if err != nil {
		return err
	}
	list := []token{st.ops[0], {group.FeedNames[4][code], st.ops[1].at}, {"is4", st.end}, {"ft0", st.end}}
	if len(st.ops) > 2 && st.ops[2].text != "_" {
		if code, err = r.feedOf(st.ops[2]); err != nil {
			return err
		}
		r.selector(4, code)
	}
	if len(st.ops) > 3 {
		if code, err = r.feedOf(st.ops[3]); err != nil {
			return err
		}
		list[3] = token{group.FeedNames[4][code], st.ops[3].at}
	}
	st.ops = list
	return nil
}

// finish reads the lines with destinations of results, and assigns a source to a register that no operand reads.
func (r *reader) finish() error {
	for _, x := range r.outs {
		if err := r.output(x); err != nil {
			return err
		}
	}
	g := r.g
	src, taken := Picked(r.s)
	for n, x := range src {
		if taken>>n&1 != 0 {
			g.Src[n], g.Named[n] = x, g.Named[n] || x != 0
		}
	}
	for n, from := range r.alias {
		if from > 0 {
			g.Src[n] = g.Src[from-1]
			g.Named[n] = g.Named[n] || g.Src[n] != 0
		}
	}
	if r.source.text == "" {
		return nil
	}
	x, err := r.whole(r.source)
	if err != nil {
		return err
	}
	n := int(g.IS0)
	if !r.fixed0 {
		var ok bool
		if n, ok = Slot(&g.Src, taken, x); !ok {
			return r.wrong(r.source.at, isa.ErrOperand, "no source is left that can be "+r.source.text+": s1, s4 and s5 cannot be shared, alternate or indexed registers, nor numbers above 255")
		}
	} else if taken>>n&1 != 0 && g.Src[n] != x {
		return r.wrong(r.source.at, isa.ErrOperand, "is0 is another register: "+string(r.set.AppendRegister(nil, g.Src[n])))
	}
	g.Src[n], g.Named[n], g.IS0 = x, true, uint8(n)
	return nil
}

// output reads mov REG, FEED-THROUGH: the first such line is w0, the second w1.
func (r *reader) output(x outgoing) error {
	i := 0
	move := moveOf(r.g.Bundle)
	switch {
	case r.bits:
		switch x.from.text {
		case "ft5", "ft4":
			i = 0
		case "ft3":
			i = 1
		default:
			return r.wrong(x.from.at, isa.ErrOperand, "results of the bit unit are ft5 and ft3")
		}
	case x.to.text == "w1", move != nil, x.to.text != "w0" && r.g.HasDst[0]:
		i = 1
	}
	if x.to.text != "w0" && x.to.text != "w1" {
		to, err := r.whole(x.to)
		if err != nil {
			return err
		}
		if err := r.write(i, to, x.to.at); err != nil {
			return err
		}
	}
	if r.bits {
		return nil
	}
	code, err := r.feedOf(x.from)
	if err != nil {
		return err
	}
	if move != nil && r.set.Row(move.Def).Name == "movwm" {
		move.Word = move.Def.Find(FieldMove1).Put(move.Word, uint64(code))
		return nil
	}
	r.selector(4+i, code)
	return nil
}
