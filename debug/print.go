package debug

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/srcinfo"
)

// A Shown is the printable form of an expression.
type Shown struct {
	Text string
	Type string
	Note string // a further remark, or ""
}

// Show returns the value of an expression in the lane of the scope. Without one, it is that of all active lanes; if
// they differ, lanes first to last are shown. The error is that of an expression without a value.
func (at *Scope) Show(e *Expr, f Format, first, last int) (s Shown, err error) {
	list, is, err := e.Slice(at)
	if err != nil {
		return s, err
	}
	if !is {
		list = []*Expr{e}
	}
	s.Type, s.Note, err = at.describe(list[0])
	if err != nil {
		return s, err
	}
	if is {
		s.Type += fmt.Sprintf("[%d]", len(list))
	}
	one := func(at *Scope) string {
		var texts []string
		for _, e := range list {
			texts = append(texts, at.text(e, f))
		}
		if !is {
			return texts[0]
		}
		return joined(texts, nil)
	}
	if at.Lane >= 0 {
		s.Text = one(at)
	} else {
		s.Text = at.InLanes(first, last, one)
	}
	return s, nil
}

// describe returns the type of an expression, and an error if it has no value in the present lane.
func (at *Scope) describe(e *Expr) (typ, note string, err error) {
	o, err := e.Object(at)
	switch {
	case err != nil:
		return "", "", err
	case o != nil && o.Passed:
		note = "as passed to the kernel; optimised out here"
		fallthrough
	case o != nil:
		return o.Type.Name, note, nil
	}
	if t, ok := at.registerType(e); ok {
		return t.String(), "", nil
	}
	v, err := e.Eval(at)
	return v.Type.String(), "", err
}

// text returns an expression in a lane.
func (at *Scope) text(e *Expr, f Format) string {
	o, err := e.Object(at)
	if o != nil && err == nil {
		return o.Text(f)
	}
	var v Value
	if err == nil {
		v, err = e.Eval(at)
	}
	if err != nil {
		return "<" + err.Error() + ">"
	}
	if t, ok := at.registerType(e); ok {
		v = v.As(t)
	}
	if f == 0 && at.inHex(e) {
		f = 'x'
	}
	return v.TextAs(f)
}

// registerType returns the type with which the code uses the register that an expression denotes.
func (at *Scope) registerType(e *Expr) (Type, bool) {
	cells, _, t, ok := e.Register(at)
	if !ok || t != nil || len(cells) > 2 {
		return Type{}, false
	}
	switch at.Wave.State.Machine.Kind(cells[0]) {
	case ir.Lane1, ir.Wave1:
		return Type{Type: ir.I1}, true
	case ir.ExecMask:
		return u64, true
	}
	return at.Code.TypeOf(cells, at.PC, at.Wave.State.At.Key.Mode), true
}

// inHex reports whether an expression is a mask of lanes or the program counter.
func (at *Scope) inHex(e *Expr) bool {
	if cells, _, _, ok := e.Register(at); ok {
		return at.Wave.State.Machine.Kind(cells[0]) == ir.ExecMask
	}
	n, ok := e.root.(*name)
	return ok && slices.Contains([]string{"pc", "exec", "running", "live"}, strings.TrimPrefix(n.word, "$"))
}

// AddressOf returns the memory that an expression denotes if an address is wanted: the target of a pointer of the
// source, an array, a buffer by its name, memory itself, or a number as an address of global memory.
func (at *Scope) AddressOf(e *Expr) (Ref, error) {
	o, err := e.Object(at)
	if err != nil {
		return Ref{}, err
	}
	if o != nil {
		if o.Type.Kind != srcinfo.Pointer {
			if _, scalar := valueType(o.Type); !scalar {
				if o, err = o.Address(); err != nil {
					return Ref{}, err
				}
			}
		}
		v, err := o.Scalar()
		return at.refOf(o.Type.Space, v.Bits), err
	}
	if r, _, ok := e.Memory(at); ok {
		return r, nil
	}
	if g, ok := at.buffer(e.String()); ok {
		return g.Ref, nil
	}
	v, err := e.Eval(at)
	if err == nil && v.Type.Float() {
		err = fmt.Errorf("%s is no address", e)
	}
	return at.refOf(srcinfo.Global, v.Bits), err
}

// Assign sets what an expression denotes, a variable, a register or memory, to the value of another expression.
func (s *Session) Assign(at *Scope, to *Expr, text string) error {
	o, err := to.Object(at)
	switch {
	case err != nil:
		return err
	case o != nil:
		return s.Set(o, text)
	}
	if cells, lane, t, ok := to.Register(at); ok {
		typ := at.Code.TypeOf(cells, at.PC, at.Wave.State.At.Key.Mode)
		switch k := at.Wave.State.Machine.Kind(cells[0]); {
		case t != nil:
			typ = *t
		case k == ir.Lane1 || k == ir.Wave1:
			typ = Type{Type: ir.I1}
		case k == ir.ExecMask:
			typ = u64
		}
		v, err := at.ParseValue(text, typ)
		if err != nil {
			return err
		}
		if want := 32 * len(cells); typ.Bits() < want && typ.Type != ir.I1 { // the bits above do not change
			return s.SetLow(at, at.BareName(to), cells, lane, v.Bits, mask(typ.Bits()))
		}
		return s.SetRegister(at.Wave, at.BareName(to), cells, lane, v.Bits)
	}
	if r, t, ok := to.Memory(at); ok {
		v, err := at.ParseValue(text, t)
		if err != nil {
			return err
		}
		n, err := s.Write(r, v.Bytes())
		if err == nil && n < t.Bits()/8 {
			err = fmt.Errorf("only %d bytes are there", n)
		}
		return err
	}
	if _, err := to.Eval(at); err != nil {
		return err
	}
	return errors.New("it is no variable, no register and no memory")
}

// SetLow changes the bits of a register that are in a mask, in all lanes if lane is negative.
func (s *Session) SetLow(at *Scope, name string, cells []ir.Cell, lane int, v, mask uint64) error {
	from, to := lane, lane+1
	switch {
	case !at.PerLane(cells):
		from, to = 0, 1
	case lane < 0:
		from, to = 0, at.Wave.State.Lanes
	}
	for ; from < to; from++ {
		old, err := at.Register(cells, from)
		if err == nil {
			err = s.setRegister(at.Wave, name, cells, from, old.Bits&^mask|v, mask)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
