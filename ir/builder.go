package ir

import "github.com/heddle-gpu/heddle/num"

// A Builder makes a block op by op. A wrong type is an error of the caller; the method that would create it panics.
type Builder struct {
	M    *Machine
	blk  *Block
	mode num.Mode
	room *room // the memory in which blk grows; nil once it is finished
	done bool
}

// A room is memory in which blocks grow before they are copied out at their final size. Rooms are reused: otherwise
// most allocations of lifting would come from growing slices.
type room struct {
	ops   []Inst
	vals  []ValInfo
	marks []Mark
	args  []Val // of ops, cut from one array
	spans []Span
	vs    []V // results of loads
}

// rooms are the unused rooms. A sync.Pool would strand one on every processor that a goroutine leaves, and grow
// another.
var rooms = make(chan *room, 8)

func enter() *room {
	select {
	case r := <-rooms:
		return r
	default:
		return new(room)
	}
}

// maxRoom is the maximum number of ops of a room that is reused: far more than blocks of lifted code have.
const maxRoom = 1 << 14

func (r *room) leave() {
	if cap(r.ops) > maxRoom {
		return
	}
	select {
	case rooms <- r:
	default:
	}
}

// A V is a value under construction: an SSA value and its builder. Each of its methods appends one op. Those of
// pure ops take the operands in the order of the op table.
type V struct {
	b  *Builder
	id Val
}

// NewBuilder starts a block at the key.
func NewBuilder(m *Machine, at Key) *Builder {
	r := enter()
	return &Builder{M: m, room: r, blk: &Block{Key: at, Next: at.PC, Ops: r.ops[:0], Vals: r.vals[:0], Marks: r.marks[:0], Spans: r.spans[:0]}}
}

// Mark begins a guest instruction.
func (b *Builder) Mark(pc uint64, size int, sub uint8) {
	b.blk.Marks = append(b.blk.Marks, Mark{Op: int32(len(b.blk.Ops)), PC: pc, Size: uint8(size), Sub: sub})
	b.blk.Next = pc + uint64(size)
}

// Done reports whether the block has its terminator.
func (b *Builder) Done() bool { return b.done }

// Len is the number of ops so far.
func (b *Builder) Len() int { return len(b.blk.Ops) }

// Finish returns the block. Nothing may be added to the builder afterwards.
func (b *Builder) Finish() *Block {
	r := b.room
	if r == nil {
		return b.blk
	}
	grown := b.blk
	r.ops, r.vals, r.marks, r.spans = grown.Ops, grown.Vals, grown.Marks, grown.Spans
	b.blk, b.room, b.done = grown.Compact(), nil, true
	clear(r.vs[:cap(r.vs)]) // they refer to the builder
	r.args, r.vs = r.args[:0], r.vs[:0]
	r.leave()
	return b.blk
}

// A Point is a position to which a block under construction can be truncated.
type Point struct {
	ops, vals, marks, spans int
	next                    uint64
}

// Here returns the current end of the block.
func (b *Builder) Here() Point {
	return Point{len(b.blk.Ops), len(b.blk.Vals), len(b.blk.Marks), len(b.blk.Spans), b.blk.Next}
}

// Cut removes everything that was built since p, for example the partial lift of an instruction that cannot be
// lifted.
func (b *Builder) Cut(p Point) {
	b.blk.Ops, b.blk.Vals, b.blk.Marks = b.blk.Ops[:p.ops], b.blk.Vals[:p.vals], b.blk.Marks[:p.marks]
	b.blk.Spans, b.blk.Next, b.blk.Why = b.blk.Spans[:p.spans], p.next, ""
	b.blk.Serial, b.done = false, false
}

// Serial makes the block run lane by lane: see Block.Serial.
func (b *Builder) Serial() { b.blk.Serial = true }

// Alone gives a serial instruction at pc, built since p, a block of its own, if it has made its block serial. If it
// is the first of the block it ends the block after it; otherwise it removes the instruction and ends the block
// before it. It reports whether the block has ended.
func (b *Builder) Alone(p Point, pc uint64) bool {
	switch {
	case !b.blk.Serial:
		return b.done
	case p.marks > 0:
		b.Cut(p)
		b.Jump(pc)
	case !b.done:
		b.Jump(b.blk.Next)
	}
	return true
}

// Mode returns the float mode of subsequent ops.
func (b *Builder) Mode() num.Mode { return b.mode }

// Float sets the float mode of the ops that follow; the result restores the mode before:
//
//	defer b.Float(m)()
func (b *Builder) Float(m num.Mode) (restore func()) {
	old := b.mode
	b.mode = m
	return func() { b.mode = old }
}

// B is the builder of a.
func (a V) B() *Builder { return a.b }

// ID is the number of the value in its block.
func (a V) ID() Val { return a.id }

// Type is the element type of a.
func (a V) Type() Type { return a.b.blk.Vals[a.id].Type }

// Wave reports whether a is uniform.
func (a V) Wave() bool { return a.b.blk.Vals[a.id].Wave }

// Valid reports whether a is not the zero V.
func (a V) Valid() bool { return a.b != nil }

// args stores the arguments of an op.
func (b *Builder) args(vs ...V) []Val {
	at := b.space(len(vs))
	for _, v := range vs {
		b.arg(v)
	}
	return b.argsFrom(at)
}

// space makes room for n more arguments after the stored ones, and returns their index.
func (b *Builder) space(n int) (at int) {
	if b.room == nil {
		panic("ir: an op after the block is finished")
	}
	r := b.room
	if cap(r.args)-len(r.args) < n { // earlier ops keep their parts of the old array
		r.args = make([]Val, 0, 2*cap(r.args)+256+n)
	}
	return len(r.args)
}

func (b *Builder) arg(v V) {
	if v.b != b {
		panic("ir: a value of another builder, or none")
	}
	b.room.args = append(b.room.args, v.id)
}

func (b *Builder) argsFrom(at int) []Val {
	a := b.room.args
	return a[at:len(a):len(a)]
}

// push appends an op whose operands are set, with its results.
func (b *Builder) push(in Inst) V {
	if b.done {
		panic("ir: " + in.Op.String() + " after the block's end")
	}
	info := &ops[in.Op]
	if info.Flags&HasMode != 0 {
		if !b.mode.IsSet() {
			panic("ir: " + in.Op.String() + ": no float mode is set")
		}
		in.Mode = b.mode
	}
	in.Res = Val(len(b.blk.Vals))
	if info.Class == Pure {
		in.Wave = b.blk.allWave(in.Args)
	}
	if err := b.blk.append(&in); err != nil {
		panic("ir: " + err.Error())
	}
	if info.Class == Ctl {
		b.done = true
	}
	return V{b, in.Res}
}

// Const is a constant of type t; bits beyond the type's width must be zero.
func (b *Builder) Const(t Type, bits uint64) V {
	if bits&^ones(t.Bits()) != 0 {
		panic("ir: const: more bits than " + t.String())
	}
	return b.push(Inst{Op: Const, Type: t, Imm: bits})
}

// I32 is a 32-bit integer constant.
func (b *Builder) I32(x uint32) V { return b.Const(I32, uint64(x)) }

// I64 is a 64-bit integer constant.
func (b *Builder) I64(x uint64) V { return b.Const(I64, x) }

// I1 is a constant condition.
func (b *Builder) I1(x bool) V { return b.Const(I1, bit(x)) }

// K is the constant x of a's type, truncated to its width; in each element if a is packed.
func (a V) K(x uint64) V { return a.b.Const(a.Type(), splat(a.Type(), x)) }

// Get reads a cell as type t: a 32-bit type, or i1 for one-bit cells.
func (b *Builder) Get(c Cell, t Type) V {
	k := b.M.Kind(c)
	if k == 0 || cellBits(k) != t.Bits() {
		panic("ir: get: no such cell, or not " + t.String())
	}
	return b.push(Inst{Op: Get, Type: t, Cell: c, Wave: !k.PerLane()})
}

// Set writes a cell in the lanes of the mask. A cell that is per wave, and the execution mask, take no mask (the
// zero V).
func (b *Builder) Set(c Cell, v, mask V) {
	k := b.M.Kind(c)
	if k == 0 || cellBits(k) != v.Type().Bits() {
		panic("ir: set: no such cell, or not " + v.Type().String())
	}
	wave := !k.PerLane()
	if wave && !v.Wave() {
		panic("ir: set: a wave cell from a value that is one per lane")
	}
	if (wave || k == ExecMask) == mask.Valid() {
		panic("ir: set: " + k.String() + " cell: mask given or missing")
	}
	b.push(Inst{Op: Set, Type: v.Type(), Cell: c, Wave: wave, Args: b.masked(mask, v)})
}

// masked stores the arguments of an op and its mask, if there is one.
func (b *Builder) masked(mask V, vs ...V) []Val {
	at := b.space(len(vs) + 1)
	for _, v := range vs {
		b.arg(v)
	}
	if mask.Valid() {
		b.arg(mask)
	}
	return b.argsFrom(at)
}

func cellBits(k CellKind) int {
	if k == Lane32 || k == Wave32 {
		return 32
	}
	return 1
}

// GetX reads the cell of c's file at c.Index + index (i32, signed). The mask is the lanes whose index may fault;
// all lanes get the value of the cell. For a per-wave cell without a mask, index and value are uniform; with a mask
// each lane reads the cell of its own index.
func (b *Builder) GetX(c Cell, index, mask V, t Type) V {
	wave := !b.M.Kind(c).PerLane() && !mask.Valid()
	if !wave && !mask.Valid() || wave && !index.Wave() {
		panic("ir: getx: no mask, but a lane cell or an index that is one per lane")
	}
	return b.push(Inst{Op: GetX, Type: t, Cell: c, Wave: wave, Args: b.masked(mask, index)})
}

// SetX writes the cell of c's file at c.Index + index in the lanes of the mask. For a per-wave cell without a mask
// it is one write, with uniform values; with a mask, if several lanes write a cell the highest wins.
func (b *Builder) SetX(c Cell, index, v, mask V) {
	wave := !b.M.Kind(c).PerLane() && !mask.Valid()
	if !wave && !mask.Valid() || wave && !(v.Wave() && index.Wave()) {
		panic("ir: setx: no mask, but a lane cell or values that are one per lane")
	}
	b.push(Inst{Op: SetX, Type: v.Type(), Cell: c, Wave: wave, Args: b.masked(mask, index, v)})
}

// SetLast writes a per-wave cell with the value of the highest lane of the mask.
func (b *Builder) SetLast(c Cell, v, mask V) {
	b.push(Inst{Op: SetLast, Type: v.Type(), Cell: c, Args: b.args(v, mask)})
}

// Exec is the execution mask.
func (b *Builder) Exec() V {
	c, ok := b.M.Exec()
	if !ok {
		panic("ir: the machine has no execution mask")
	}
	return b.Get(c, I1)
}

// Live is the mask of lanes that exist and have not ended.
func (b *Builder) Live() V { return b.push(Inst{Op: Live, Type: I1}) }

// LaneID is the number of each lane.
func (b *Builder) LaneID() V { return b.push(Inst{Op: LaneID, Type: I32}) }

// Clock is the number of guest instructions that the wave has begun.
func (b *Builder) Clock() V { return b.push(Inst{Op: Clock, Type: I64, Wave: true}) }

// ResetFloat clears the float mode: an op that needs one panics until Float sets it again.
func (b *Builder) ResetFloat() { b.mode = 0 }
