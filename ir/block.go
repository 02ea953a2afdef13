package ir

import (
	"slices"

	"github.com/heddle-gpu/heddle/num"
)

// A Val is an SSA value of a block, numbered from 0 in order of definition.
type Val int32

// ValInfo is the type of a value and whether it is uniform (one per wave).
type ValInfo struct {
	Type Type
	Wave bool // one value per wave; otherwise one per lane
}

// A Block is a basic block of guest code in SSA form. Its last op is a terminator. In a canonical block no value is
// live across a mark.
type Block struct {
	Key   Key
	Ops   []Inst
	Vals  []ValInfo
	Marks []Mark
	Next  uint64 // guest address after the last instruction of the block
	Spans []Span // of issue ops: see Touched
	// Serial blocks run once for each lane of the execution mask, lowest first, with an execution mask of that lane
	// only. Then the mask is restored and the terminator follows. What one lane writes is visible to the lanes
	// after it. If no lane is active the block does nothing. Such a block is one mark, cannot fault, and accesses
	// only cells.
	Serial bool
	Why    string // of a block that ends in trap: what is missing or wrong
	Plain  *Block // of a block with a shadow: the one without, whose costs count
	// Likely, if not nil, does the same where no mask of its Unlikely ops has a lane. Where one has, execution continues
	// in this block, at the start of the mark. Both have the same marks, and the same Stable ops in the same order.
	Likely *Block
}

// A Mark is the first op of a guest instruction.
type Mark struct {
	Op   int32  // index in Block.Ops
	PC   uint64 // guest address
	Size uint8  // bytes of the instruction
	Sub  uint8  // repetition of an instruction that runs several times
}

// An Inst is one op of a block. Fields that its op does not use are zero.
type Inst struct {
	Op   Op
	Type Type // the type that the first letter of its rule stands for
	Wave bool // runs once per wave; otherwise once per lane
	Mem  Mem
	Cell Cell      // State ops
	Img  ImageAttr // sample, image; tex: Lod
	Mode num.Mode  // float ops
	Res  Val       // first result; the others have the next numbers
	NRes uint8
	IO   IOAttr // input, output; probe: Count
	Args []Val
	Imm  uint64 // constant, bit offset, target address, queue, trap reason: see the op's doc
	Alt  uint64 // second target address; of a jump, JumpYields or 0
}

// A Span is consecutive cells of one file.
type Span struct {
	Cell  Cell // the first
	Count uint16
}

// Touched returns the cells that the issued operation will write and read. The caller must not change them.
func (b *Block) Touched(in *Inst) (writes, reads []Span) {
	first, w, r := in.Alt>>32, in.Alt>>16&0xffff, in.Alt&0xffff
	if n := uint64(len(b.Spans)); first+w+r > n {
		return nil, nil
	}
	return b.Spans[first : first+w : first+w], b.Spans[first+w : first+w+r : first+w+r]
}

// touch stores the spans of an issue op and returns its Alt.
func (b *Block) touch(writes, reads []Span) (alt uint64) {
	alt = uint64(len(b.Spans))<<32 | uint64(len(writes))<<16 | uint64(len(reads))
	b.Spans = append(append(b.Spans, writes...), reads...)
	return alt
}

// Issue appends an op that marks the start of an operation on a queue; see Builder.Issue.
func (b *Block) Issue(m *Machine, queue int, writes, reads []Span) error {
	_, err := b.Add(m, Inst{Op: Issue, Imm: uint64(queue), Alt: b.touch(writes, reads)})
	return err
}

// Mem says how a memory op accesses memory.
type Mem struct {
	Space  SpaceID
	Bank   uint8
	Elem   uint8 // bytes of an element: 1, 2, 4 or 8
	Count  uint8 // consecutive elements
	Align  uint8 // the address must be a multiple of this many bytes; 0 and 1: any address
	Signed bool  // narrow elements are sign-extended
	Atomic uint8 // atomic: an AtomicOp of package mem
	Load   LoadFlags
}

// Silent reports whether the access is an observer's: see the flag.
func (m *Mem) Silent() bool { return m.Load&Silent != 0 }

// LoadFlags qualify a load, or an access if they say so. They do not change its value.
type LoadFlags uint8

const (
	// Volatile loads read the current contents of memory, past caches: others may be changing it. Schedulers and
	// passes must respect it.
	Volatile LoadFlags = 1 << iota
	// OfDescriptor loads read a descriptor with the location of the access that the instruction performs. Observers
	// of accesses report such loads as descriptor loads.
	OfDescriptor
	// Silent accesses, which need not be loads, are those of an observer: they count for nothing and cannot fault. Where
	// memory refuses one, a load gives 0 and nothing is stored.
	Silent
)

// count returns how many values a repeated slot of the op's rule stands for.
func (in *Inst) count() int {
	if in.Op == Input || in.Op == Output || in.Op == Probe {
		return int(in.IO.Count)
	}
	if in.Op == Sample || in.Op == Image {
		return in.imageArgs()
	}
	return int(in.Mem.Count)
}

// Bytes is the size of the whole access.
func (m Mem) Bytes() int { return int(m.Elem) * int(m.Count) }

// A TrapReason says why code cannot continue. Reserved, missing in the variant, undefined and unimplemented are
// different for users.
type TrapReason uint8

const (
	TrapInvalid       TrapReason = iota + 1 // the bytes are no instruction
	TrapReserved                            // a reserved value or encoding
	TrapVariant                             // exists, but not in this variant
	TrapUndefined                           // the manual gives no meaning
	TrapUnimplemented                       // has a meaning that is not built yet
	TrapGuest                               // the program contains a trap instruction
	numTraps
)

var trapNames = [numTraps]string{"none", "invalid", "reserved", "variant", "undefined", "unimplemented", "guest"}

func (r TrapReason) String() string {
	if r >= numTraps {
		return "trap?"
	}
	return trapNames[r]
}

// Term is the terminator of the block.
func (b *Block) Term() *Inst { return &b.Ops[len(b.Ops)-1] }

// MarkAt is the index of the mark that op i belongs to.
func (b *Block) MarkAt(i int) int {
	lo, hi := 0, len(b.Marks)
	for hi-lo > 1 {
		if m := (lo + hi) / 2; int(b.Marks[m].Op) <= i {
			lo = m
		} else {
			hi = m
		}
	}
	return lo
}

// MarkOps returns the ops of mark i: those from lo to before hi.
func (b *Block) MarkOps(i int) (lo, hi int) {
	lo, hi = int(b.Marks[i].Op), len(b.Ops)
	if i+1 < len(b.Marks) {
		hi = int(b.Marks[i+1].Op)
	}
	return lo, hi
}

// AfterGuards returns the op of mark i before which nothing may take effect: the one after the last op from which
// engines go back to the start of the mark (Unlikely, Stable), or the first of the mark if it has none.
func (b *Block) AfterGuards(i int) (op int) {
	lo, hi := b.MarkOps(i)
	op = lo
	for k := lo; k < hi; k++ {
		if o := b.Ops[k].Op; o == Unlikely || o == Stable {
			op = k + 1
		}
	}
	return op
}

// Reads returns two tables of the block's values. root maps a value to the value where its chain of casts begins.
// last maps that value to the last op that reads it under any name, -1 if none does.
func (b *Block) Reads() (root []Val, last []int) {
	root, last = make([]Val, len(b.Vals)), make([]int, len(b.Vals))
	for i := range root {
		root[i], last[i] = Val(i), -1
	}
	for i := range b.Ops {
		in := &b.Ops[i]
		if in.Op == Cast {
			root[in.Res] = root[in.Args[0]]
		}
		for _, a := range in.Args {
			last[root[a]] = i
		}
	}
	return root, last
}

// IsRead reports whether a later op of the block reads the first result of op i.
func (b *Block) IsRead(i int) bool {
	return slices.ContainsFunc(b.Ops[i+1:], func(in Inst) bool { return slices.Contains(in.Args, b.Ops[i].Res) })
}

// exact returns a copy without spare capacity.
func exact[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return append(make([]T, 0, len(s)), s...)
}

// Compact returns a copy of the block that shares nothing with it and has no spare capacity.
func (b *Block) Compact() *Block {
	c := *b
	c.Ops, c.Vals, c.Marks = exact(b.Ops), exact(b.Vals), exact(b.Marks)
	c.Spans = exact(b.Spans)
	c.ownArgs()
	return &c
}

// ownArgs moves the arguments of all ops to one array that belongs to the block.
func (b *Block) ownArgs() {
	n := 0
	for i := range b.Ops {
		n += len(b.Ops[i].Args)
	}
	all := make([]Val, 0, n)
	for i := range b.Ops {
		if in := &b.Ops[i]; len(in.Args) > 0 {
			at := len(all)
			all = append(all, in.Args...)
			in.Args = all[at:len(all):len(all)]
		}
	}
}
