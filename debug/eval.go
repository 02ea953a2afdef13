package debug

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A Scope is the context of expressions: a wave, and a lane of it.
type Scope struct {
	Code *Code
	PC   uint64
	Wave *Wave
	Env  *exec.Env // the memory of the wave
	Lane int       // negative: the lowest active lane
	Pos  uint64

	Inline int  // index in Functions: the function whose variables are in scope
	Outer  bool // PC is the return address of a call: the contents of registers there are unknown
}

// scopeOf returns the scope of a halt's wave.
func (s *Session) scopeOf(h *Halt) *Scope {
	return &Scope{Code: h.Code, PC: h.Step.PC, Wave: h.Wave, Env: h.Step.Env, Lane: -1, Pos: h.Pos}
}

// ScopeOf returns the scope of a wave of the present workgroup; negative lane: the lowest active one. A wave that has
// not run yet has the memory of the others.
func (s *Session) ScopeOf(w *Wave, lane int) *Scope {
	h := s.Halted()
	at := &Scope{Code: h.Code, PC: w.PC(), Wave: w, Env: w.Env, Lane: lane, Pos: h.Pos}
	if w == h.Wave {
		at.PC = h.Step.PC
	}
	if at.Env == nil {
		at.Env = h.Step.Env
	}
	if w.Program != nil {
		s.mu.Lock()
		if c := s.byCode[w.Program]; c != nil {
			at.Code = c
		}
		s.mu.Unlock()
	}
	return at
}

// lane returns the lane of registers without an explicit lane.
func (at *Scope) lane() int {
	if at.Lane >= 0 {
		return at.Lane
	}
	if at.Wave.State.Exec == 0 {
		return 0
	}
	return bits.TrailingZeros64(at.Wave.State.Exec)
}

// LaneAtHand returns the lane of the scope, or without one the lowest active lane.
func (at *Scope) LaneAtHand() int { return at.lane() }

// Cells returns those of a register by its name, at least one and at most 16.
func (at *Scope) Cells(name string) ([]ir.Cell, error) {
	if at.Code == nil || at.Code.says() == nil {
		return nil, errors.New("the code has no names of registers")
	}
	cells, err := at.Code.says().RegisterCells(name)
	if plain, is := strings.CutPrefix(name, "$"); err != nil && is {
		cells, err = at.Code.says().RegisterCells(plain)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case len(cells) == 0 || len(cells) > 16:
		return nil, fmt.Errorf("%s: %d words", name, len(cells))
	}
	return cells, nil
}

// PerLane reports whether a register holds a value per lane.
func (at *Scope) PerLane(cells []ir.Cell) bool {
	k := at.Wave.State.Machine.Kind(cells[0])
	return k == ir.Lane32 || k == ir.Lane1
}

// Register returns the value of a register of one word or two in a lane.
func (at *Scope) Register(cells []ir.Cell, lane int) (Value, error) {
	st := at.Wave.State
	if at.PerLane(cells) && lane >= st.Lanes {
		return Value{}, fmt.Errorf("no lane %d; the wave has %d", lane, st.Lanes)
	}
	switch k := st.Machine.Kind(cells[0]); {
	case k == ir.ExecMask:
		return Value{Bits: st.Exec, Type: u64, Raw: true}, nil
	case k == ir.Lane1 || k == ir.Wave1:
		return Value{Bits: uint64(st.Get(cells[0], lane)), Type: Type{Type: ir.I1}, Raw: true}, nil
	case len(cells) > 2:
		return Value{}, fmt.Errorf("it has %d words: name one or two", len(cells))
	case len(cells) == 2:
		return Value{Bits: uint64(st.Get(cells[0], lane)) | uint64(st.Get(cells[1], lane))<<32, Type: u64, Raw: true}, nil
	}
	return Value{Bits: uint64(st.Get(cells[0], lane)), Type: u32, Raw: true}, nil
}

func (l *literal) eval(*Scope) (Value, error) { return l.v, nil }

func (n *name) eval(at *Scope) (Value, error) {
	if o, err := n.object(at); o != nil || err != nil {
		return scalar(o, err)
	}
	if n.member {
		return Value{}, fmt.Errorf("no variable %s is in scope", n.base)
	}
	if space, bank, ok := spaceNamed(n.word); ok && n.brackets {
		return n.memory(at, space, bank, u32)
	}
	full := n.word
	if n.brackets {
		full += "[" + n.index + "]"
	}
	cells, err := at.Cells(full)
	if err == nil {
		return at.Register(cells, at.lane())
	}
	if n.brackets {
		if cells, e := at.Cells(n.word); e == nil {
			return n.indexed(at, cells)
		}
		if _, ok := at.buffer(n.word); ok {
			return n.element(at, u32)
		}
		if !strings.ContainsAny(n.word, "0123456789$") && !strings.Contains(n.index, ":") {
			err = fmt.Errorf("%s: no variable in scope, no register of lanes and no buffer has this name", n.word)
		}
		return Value{}, err
	}
	if v, ok := at.word(strings.TrimPrefix(n.word, "$")); ok {
		return v, nil
	}
	if g, ok := at.buffer(n.word); ok {
		return Value{Bits: g.Addr, Type: u64}, nil
	}
	if strings.HasPrefix(n.word, "$") || strings.ContainsAny(n.word, "0123456789") { // a register, but one that does not exist
		return Value{}, err
	}
	return Value{}, fmt.Errorf("%s: no variable in scope, no register and no buffer has this name", n.word)
}

// buffer returns memory by its name: a buffer that an argument of the launch has named.
func (at *Scope) buffer(name string) (Segment, bool) {
	if at.Env == nil {
		return Segment{}, false
	}
	for _, g := range at.Segments() {
		if g.Name == name {
			return g, true
		}
	}
	return Segment{}, false
}

// elementRef returns the address of an element of a buffer.
func (n *name) elementRef(at *Scope, t Type) (Ref, error) {
	g, ok := at.buffer(n.word)
	if !ok || n.sub == nil {
		return Ref{}, fmt.Errorf("%q is no index", n.index)
	}
	i, err := n.sub.eval(at)
	size := uint64(t.Bits() / 8)
	switch {
	case err != nil:
		return Ref{}, err
	case i.Type.Float() || i.int() < 0 || i.Bits >= g.Bytes/size:
		return Ref{}, fmt.Errorf("%s has elements 0 to %d of %s", n.word, int64(g.Bytes/size)-1, t)
	}
	r := g.Ref
	r.Addr += i.Bits * size
	return r, nil
}

// isElement reports whether the name is an element of a buffer, and nothing that takes precedence over such names.
func (n *name) isElement(at *Scope) bool {
	if _, ok := at.buffer(n.word); !ok || !n.brackets {
		return false
	}
	if _, _, ok := spaceNamed(n.word); ok {
		return false
	}
	if o, err := n.object(at); o != nil || err != nil {
		return false
	}
	if _, err := at.Cells(n.word + "[" + n.index + "]"); err == nil {
		return false
	}
	_, err := at.Cells(n.word)
	return err != nil
}

// element returns an element of a buffer.
func (n *name) element(at *Scope, t Type) (Value, error) {
	r, err := n.elementRef(at, t)
	if err != nil {
		return Value{}, err
	}
	data, err := at.Read(r, uint64(t.Bits()/8))
	return OfBytes(data, t), err
}

// word returns a property of the wave that is no register.
func (at *Scope) word(word string) (Value, bool) {
	n := uint64(0)
	switch word {
	case "lane":
		n = uint64(at.lane())
	case "lanes":
		n = uint64(at.Wave.State.Lanes)
	case "wave":
		n = uint64(at.Wave.Wave)
	case "group.x":
		n = uint64(at.Wave.Group[0])
	case "group.y":
		n = uint64(at.Wave.Group[1])
	case "group.z":
		n = uint64(at.Wave.Group[2])
	case "pc":
		n = at.Code.Place(at.PC).Addr
	case "live":
		n = at.Wave.State.Live
	case "exec", "running": // a register of the machine takes precedence
		n = at.Wave.State.Exec
	case "position":
		n = at.Pos
	default:
		return Value{}, false
	}
	return Value{Bits: n, Type: u64}, true
}

// indexed returns a register with a value per lane, in the lane of the index.
func (n *name) indexed(at *Scope, cells []ir.Cell) (Value, error) {
	switch {
	case !at.PerLane(cells):
		return Value{}, fmt.Errorf("%s is one for all lanes", n.word)
	case n.sub == nil:
		return Value{}, fmt.Errorf("%q is no lane", n.index)
	}
	lane, err := n.sub.eval(at)
	if err != nil {
		return Value{}, err
	}
	if lane.Bits >= uint64(at.Wave.State.Lanes) || lane.Type.Float() {
		return Value{}, fmt.Errorf("no lane %s; the wave has %d", lane.Text(false), at.Wave.State.Lanes)
	}
	return at.Register(cells, int(lane.Bits))
}

// memory returns a number of a type at an address.
func (n *name) memory(at *Scope, space ir.SpaceID, bank uint8, t Type) (Value, error) {
	if n.sub == nil {
		return Value{}, fmt.Errorf("%q is no address", n.index)
	}
	addr, err := n.sub.eval(at)
	if err != nil {
		return Value{}, err
	}
	size := t.Bits() / 8
	data, err := at.Read(Ref{Space: space, Bank: bank, Lane: at.lane(), Addr: addr.Bits}, uint64(size))
	switch {
	case err != nil:
		return Value{}, err
	case len(data) < size:
		return Value{}, fmt.Errorf("only %d bytes of %s are there at %#x", len(data), n.word, addr.Bits)
	}
	return OfBytes(data, t), nil
}

// spaceNamed returns the address space of a name: global, global.14.
func spaceNamed(word string) (ir.SpaceID, uint8, bool) {
	word, bank, two := strings.Cut(word, ".")
	n := uint64(0)
	if two {
		var err error
		if n, err = strconv.ParseUint(bank, 10, 8); err != nil {
			return 0, 0, false
		}
	}
	for _, x := range [...]ir.SpaceID{ir.GlobalSpace, ir.GroupSpace, ir.ConstSpace, ir.PrivateSpace} {
		if word == x.String() {
			return x, uint8(n), true
		}
	}
	return 0, 0, false
}

func (u *prefix) eval(at *Scope) (Value, error) {
	v, err := u.x.eval(at)
	switch {
	case err != nil:
		return v, err
	case u.op == "!":
		return truth(!v.True()), nil
	case u.op == "-" && v.Type.Float():
		return ofFloat(-v.float(), v.Type), nil
	case u.op == "-":
		return ofInt(-v.int(), i64), nil
	case v.Type.Float():
		return v, errors.New("~ of a float")
	}
	return Value{Bits: ^v.Bits & mask(v.Type.Bits()), Type: v.Type}, nil
}

func truth(is bool) Value {
	if is {
		return Value{Bits: 1, Type: i64}
	}
	return Value{Type: i64}
}

func (c *cast) eval(at *Scope) (Value, error) {
	if c.to == "any" || c.to == "all" {
		return c.each(at)
	}
	t, _ := typeNamed(c.to)
	if n, ok := c.x.(*name); ok && n.brackets {
		if space, bank, ok := spaceNamed(n.word); ok {
			return n.memory(at, space, bank, t)
		}
		if n.isElement(at) {
			return n.element(at, t)
		}
	}
	v, err := c.x.eval(at)
	switch {
	case err != nil:
		return v, err
	case v.Raw:
		return v.as(t), nil
	}
	return v.to(t), nil
}

// each evaluates any and all: whether the expression holds in some or all active lanes.
func (c *cast) each(at *Scope) (Value, error) {
	in := *at
	for lanes := at.Wave.State.Exec; lanes != 0; lanes &= lanes - 1 {
		in.Lane = bits.TrailingZeros64(lanes)
		v, err := c.x.eval(&in)
		if err != nil {
			return v, err
		}
		if v.True() == (c.to == "any") {
			return truth(c.to == "any"), nil
		}
	}
	return truth(c.to == "all"), nil
}

func (b *infix) eval(at *Scope) (Value, error) {
	x, err := b.x.eval(at)
	if err != nil {
		return x, err
	}
	switch {
	case b.op == "&&" && !x.True():
		return truth(false), nil
	case b.op == "||" && x.True():
		return truth(true), nil
	}
	y, err := b.y.eval(at)
	switch {
	case err != nil:
		return y, err
	case b.op == "&&" || b.op == "||":
		return truth(y.True()), nil
	}
	x, y = beside(x, y), beside(y, x)
	if x.Type.Float() || y.Type.Float() {
		return floats(b.op, x, y)
	}
	return ints(b.op, x, y)
}

// beside types raw bits next to a float operand: 32 bits are f32, 64 f64.
func beside(x, y Value) Value {
	if !x.Raw || !y.Type.Float() {
		return x
	}
	switch x.Type.Bits() {
	case 32:
		return x.as(Type{Type: ir.F32})
	case 64:
		return x.as(f64)
	}
	return x
}

func floats(op string, x, y Value) (Value, error) {
	a, b := x.float(), y.float()
	switch op {
	case "==":
		return truth(a == b), nil
	case "!=":
		return truth(a != b), nil
	case "<":
		return truth(a < b), nil
	case "<=":
		return truth(a <= b), nil
	case ">":
		return truth(a > b), nil
	case ">=":
		return truth(a >= b), nil
	case "+":
		return ofFloat(a+b, f64), nil
	case "-":
		return ofFloat(a-b, f64), nil
	case "*":
		return ofFloat(a*b, f64), nil
	case "/":
		return ofFloat(a/b, f64), nil
	}
	return x, fmt.Errorf("%s of floats", op)
}

func ints(op string, x, y Value) (Value, error) {
	wide := i64
	if x.Type == u64 || y.Type == u64 {
		wide = u64
	}
	a, b := x.int(), y.int()
	if order := compared(op, a, b, wide.Signed); order != nil {
		return truth(*order), nil
	}
	switch op {
	case "|":
		a |= b
	case "^":
		a ^= b
	case "&":
		a &= b
	case "<<":
		a = int64(uint64(a) << min(uint64(b), 64))
	case ">>":
		if wide.Signed {
			a >>= min(uint64(b), 64)
		} else {
			a = int64(uint64(a) >> min(uint64(b), 64))
		}
	case "+":
		a += b
	case "-":
		a -= b
	case "*":
		a *= b
	case "/", "%":
		if b == 0 {
			return x, errors.New("division by zero")
		}
		a = divided(op, a, b, wide.Signed)
	}
	return Value{Bits: uint64(a), Type: wide}, nil
}

func divided(op string, a, b int64, signed bool) int64 {
	switch {
	case op == "/" && signed:
		return a / b
	case op == "/":
		return int64(uint64(a) / uint64(b))
	case signed:
		return a % b
	}
	return int64(uint64(a) % uint64(b))
}

// compared evaluates a comparison; nil: op is none.
func compared(op string, a, b int64, signed bool) *bool {
	less := a < b
	if !signed {
		less = uint64(a) < uint64(b)
	}
	is := false
	switch op {
	case "==":
		is = a == b
	case "!=":
		is = a != b
	case "<":
		is = less
	case "<=":
		is = less || a == b
	case ">":
		is = !less && a != b
	case ">=":
		is = !less
	default:
		return nil
	}
	return &is
}

// Register returns the register and its lane, if the expression is nothing else: what can be set or watched.
func (e *Expr) Register(at *Scope) (cells []ir.Cell, lane int, t *Type, ok bool) {
	n, t := e.bare()
	if n == nil {
		return nil, 0, nil, false
	}
	if o, err := n.object(at); o != nil || err != nil {
		return nil, 0, nil, false
	}
	full := n.word
	if n.brackets {
		full += "[" + n.index + "]"
	}
	if cells, err := at.Cells(full); err == nil {
		return cells, at.Lane, t, true
	}
	cells, err := at.Cells(n.word)
	if err != nil || n.sub == nil || !at.PerLane(cells) {
		return nil, 0, nil, false
	}
	v, err := n.sub.eval(at)
	if err != nil || v.Bits >= uint64(at.Wave.State.Lanes) {
		return nil, 0, nil, false
	}
	return cells, int(v.Bits), t, true
}

// Memory returns the memory that the expression denotes, if it is nothing else.
func (e *Expr) Memory(at *Scope) (ref Ref, t Type, ok bool) {
	n, typ := e.bare()
	if n == nil || n.sub == nil {
		return ref, t, false
	}
	if t = u32; typ != nil {
		t = *typ
	}
	if n.isElement(at) {
		ref, err := n.elementRef(at, t)
		return ref, t, err == nil
	}
	space, bank, ok := spaceNamed(n.word)
	if !ok {
		return ref, t, false
	}
	addr, err := n.sub.eval(at)
	return Ref{Space: space, Bank: bank, Lane: at.lane(), Addr: addr.Bits}, t, err == nil
}

// bare returns the name that an expression is, and the type around it.
func (e *Expr) bare() (*name, *Type) {
	if n, ok := e.root.(*name); ok {
		return n, nil
	}
	if c, ok := e.root.(*cast); ok {
		t, known := typeNamed(c.to)
		if n, ok := c.x.(*name); ok && known {
			return n, &t
		}
	}
	return nil, nil
}

// BareName returns the name of the register that the expression is, without a lane.
func (at *Scope) BareName(e *Expr) string {
	n, _ := e.bare()
	if n == nil {
		return e.text
	}
	if full := n.word + "[" + n.index + "]"; n.brackets {
		if _, err := at.Cells(full); err == nil {
			return full
		}
	}
	return n.word
}
