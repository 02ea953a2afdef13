package listing

import (
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// rewordSample moves the destination to the front: smp2d drc0, sh4, r1, sh0, _, r0, 4. F32 is the default without F16.
func (r *reader) rewordSample(st *statement) error {
	if parts := strings.Split(st.text, "."); slices.Contains(parts, "f32") {
		if slices.Contains(parts, "f16") {
			return r.wrong(st.at, isa.ErrModifier, "a sample gives floats of 16 bits or of 32, not both")
		}
		st.text = strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "f32" }), ".")
	}
	if len(st.ops) == 7 {
		o := st.ops
		st.ops = []token{o[5], o[0], o[1], o[2], o[3], o[4], o[6]}
	}
	return nil
}

// rewordIterated drops empty operands at the end.
func (r *reader) rewordIterated(st *statement) error {
	for len(st.ops) > 0 && st.ops[len(st.ops)-1].text == "" {
		st.ops = st.ops[:len(st.ops)-1]
	}
	return nil
}

// iteratedOps is the number of operands of ITRSMP with an encoding; after them come raster state and a forced sample
// count.
const iteratedOps = 9

// rewordIteratedSample rewrites itrsmp2d.pixel r0.f16, … as itrsmp2d.pixel.f16 r0, ….
func (r *reader) rewordIteratedSample(st *statement) error {
	if err := r.rewordIterated(st); err != nil {
		return err
	}
	if len(st.ops) > iteratedOps {
		return r.wrong(st.ops[iteratedOps].at, isa.ErrOperand, "raster state and a forced count of samples have no public encoding, and what they change is not public")
	}
	if st.op(0) == "0" {
		return r.wrong(st.ops[0].at, isa.ErrOperand, "a sample without a destination has no public encoding, and where it goes is not public")
	}
	if name, ok := strings.CutSuffix(st.op(0), ".f16"); ok {
		st.text, st.ops[0].text = st.text+".f16", name
	}
	return nil
}

// perspectives are the iterations, by their code of perspective.
var perspectives = [...]string{"ditr", "ditrp", "ditrp.write", "ditrp.read"}

// rewordDITR rewrites ditr.pixel r0, drc0, cf4, 2, 1, cf0 as ditrp.pixel r0, drc0, cf4, cf0, 2.
func (r *reader) rewordDITR(st *statement) error {
	if err := r.rewordIterated(st); err != nil || len(st.ops) < 5 {
		return err
	}
	p := st.ops[4].text
	if len(p) != 1 || p[0] < '0' || p[0] > '3' {
		return r.wrong(st.ops[4].at, isa.ErrRange, "the control of perspective is 0 to 3")
	}
	st.text = perspectives[p[0]-'0'] + strings.TrimPrefix(st.text, "ditr")
	o := st.ops
	st.ops = slices.Concat(o[:3], o[5:], o[3:4])
	return nil
}

// rewordFITR renames fitr with five operands to fitrp.
func (r *reader) rewordFITR(st *statement) error {
	if len(st.ops) == 5 {
		st.text = "fitrp" + strings.TrimPrefix(st.text, "fitr")
	}
	return nil
}

// rewordOutput rewrites a source as w0: uvsw.write ft0, 3, or the register that w0 is written to.
func (r *reader) rewordOutput(st *statement) error {
	if len(st.ops) == 0 {
		return nil
	}
	op := &st.ops[0]
	switch {
	case op.text == "ft0":
		op.text = "w0"
	case op.text == "ft1":
		op.text = "w1"
	case op.text[:min(1, len(op.text))] != "w":
		x, ok := r.register(*op)
		for i := range r.g.Dst {
			if ok && r.g.HasDst[i] && r.g.Dst[i] == x {
				op.text = string([]byte{'w', byte('0' + i)})
				ok = false
			}
		}
	}
	if st.text == "uvsw.write" && len(st.ops) == 1 { // as in the first example of the reference
		st.ops = append(st.ops, token{"0", st.end})
	}
	return nil
}

// pcndTexts are the conditions of mask counter instructions, by code.
var pcndTexts = [...]string{".if(1)", ".if(p0)", ".if(0)", ".if(!p0)"}

// rewordCondition rewrites cndst 1, r0, r0, 1 as cndst.if(p0) pe, w0, r0, 1.
func (r *reader) rewordCondition(st *statement) error {
	if base, _, _ := strings.Cut(st.text, "."); slices.Contains(countedIf, strings.ToUpper(base)) && len(st.ops) > 0 && !strings.Contains(st.text, ".if(") {
		c := st.ops[0].text
		if len(c) != 1 || c[0] < '0' || c[0] > '3' {
			return r.wrong(st.ops[0].at, isa.ErrRange, "the condition is 0 (always), 1 (p0), 2 (never) or 3 (!p0)")
		}
		st.text += pcndTexts[c[0]-'0']
		st.ops = st.ops[1:]
	}
	if len(st.ops) > 0 {
		if err := r.dest(&st.ops[0], 0); err != nil {
			return err
		}
	}
	st.ops = slices.Insert(st.ops, 0, token{"pe", st.at})
	return nil
}

// rewordWide rewrites umadd64 ft0, fte, r0, r1, r2, r3, whose r3 is read by is0; a carry that is left out is none.
func (r *reader) rewordWide(st *statement) error {
	rows := r.s.Target.Rows(r.known(st.text))
	if len(rows) == 0 {
		return nil
	}
	d := rows[0]
	for i := range min(d.Operands(), 1+len(st.ops)) { // results that the reference does not list: the high word, and the carry
		switch name := d.Operand(i).Name; {
		case i == 1 && name == "fte" && st.op(1) != "fte" && st.op(1) != "_", i == 2 && name == "_" && st.op(2) != "_":
			st.ops = slices.Insert(st.ops, i, token{name, st.end})
		}
	}
	for i := range d.Operands() {
		if i < len(st.ops) && d.Operand(i).Name == "is0" && st.ops[i].text != "is0" && st.ops[i].text != "" && st.ops[i].text != "_" {
			if text, mods, _ := strings.Cut(st.ops[i].text, "."); mods != "" {
				return r.wrong(st.ops[i].at+len(text), isa.ErrModifier, "IS0 has no modifiers: no encoding has bits for them")
			}
			if _, err := r.feedOf(st.ops[i]); err != nil {
				return err
			}
			st.ops[i].text = "is0"
		}
	}
	if len(st.ops) == d.Operands()-1 {
		st.ops = append(st.ops, token{"_", st.end})
	}
	return nil
}
