package ir

// Load reads m.Count elements from addr as values of type t, in the lanes of the mask. The list is valid until
// Finish. With the zero mask it is one access per wave; the address must then be uniform.
func (b *Builder) Load(m Mem, t Type, addr, mask V) []V {
	b.checkScope("load", addr, mask)
	return b.several(Inst{Op: Load, Type: t, Mem: m, Wave: !mask.Valid(), Args: b.masked(mask, addr)}, int(m.Count))
}

// Store writes the low m.Elem bytes of each value to consecutive elements starting at addr.
func (b *Builder) Store(m Mem, addr V, vals []V, mask V) {
	b.checkScope("store", addr, mask)
	if len(vals) != int(m.Count) || len(vals) == 0 {
		panic("ir: store: the values are not as many as elements")
	}
	at := b.space(len(vals) + 2)
	b.arg(addr)
	for _, v := range vals {
		b.arg(v)
	}
	if mask.Valid() {
		b.arg(mask)
	}
	b.push(Inst{Op: Store, Type: vals[0].Type(), Mem: m, Wave: !mask.Valid(), Args: b.argsFrom(at)})
}

// Atomic performs an atomic operation on the element at addr and returns its old value. cmp is the comparand, or
// the zero V.
func (b *Builder) Atomic(m Mem, addr, data, cmp, mask V) V {
	b.checkScope("atomic", addr, mask)
	in := Inst{Op: AtomicRMW, Type: data.Type(), Mem: m, Wave: !mask.Valid()}
	if cmp.Valid() {
		in.Args = b.masked(mask, addr, data, cmp)
	} else {
		in.Args = b.masked(mask, addr, data)
	}
	return b.push(in)
}

// Check faults if the access would. store says whether the access is a store.
func (b *Builder) Check(m Mem, store bool, addr, mask V) {
	b.checkScope("check", addr, mask)
	b.push(Inst{Op: Check, Mem: m, Wave: !mask.Valid(), Imm: bit(store), Args: b.masked(mask, addr)})
}

func (b *Builder) checkScope(op string, addr, mask V) {
	if !mask.Valid() && !addr.Wave() {
		panic("ir: " + op + ": no mask, but an address a lane")
	}
}

func (b *Builder) several(in Inst, n int) []V {
	first, r := b.push(in), b.room
	if cap(r.vs)-len(r.vs) < n { // earlier results keep the old array
		r.vs = make([]V, 0, 2*cap(r.vs)+32+n)
	}
	at := len(r.vs)
	for i := range n {
		r.vs = append(r.vs, V{b, first.id + Val(i)})
	}
	return r.vs[at:len(r.vs):len(r.vs)]
}

// Issue marks the start of an operation on a queue of the machine: cells that it will write, which must not be read
// or written before it has completed, and cells that it will read, which must not be written.
func (b *Builder) Issue(queue int, writes, reads []Span) {
	b.push(Inst{Op: Issue, Imm: uint64(queue), Alt: b.blk.touch(writes, reads)})
}

// Wait marks that at most n operations of a queue remain outstanding; for an unordered queue n is 0.
func (b *Builder) Wait(queue, n int) { b.push(Inst{Op: Wait, Imm: uint64(queue), Alt: uint64(n)}) }

// Probe reports to the observer of the run that the lanes of the mask are here, in an event of that kind with up to
// MaxComponents values, all of one type.
func (b *Builder) Probe(kind uint64, vals []V, mask V) {
	at := b.space(len(vals) + 1)
	for _, v := range vals {
		b.arg(v)
	}
	b.arg(mask)
	b.push(Inst{Op: Probe, Imm: kind, IO: IOAttr{Count: uint8(len(vals))}, Args: b.argsFrom(at)})
}

// Tally adds a uniform number to a counter of the observer: see Machine.Tallies.
func (b *Builder) Tally(counter int, n V) {
	b.push(Inst{Op: Tally, Imm: uint64(counter), Args: b.args(n)})
}

// Clip says that lanes of the mask outside of within do not access memory, because at is beyond limit, a bound of the
// machine.
func (b *Builder) Clip(bound int, at, limit, within, mask V) {
	b.push(Inst{Op: Clip, Type: at.Type(), Imm: uint64(bound), Args: b.args(at, limit, within, mask)})
}

// Unlikely says that the mask is unlikely to have lanes: the code for its lanes is cold.
func (b *Builder) Unlikely(mask V) { b.push(Inst{Op: Unlikely, Args: b.args(mask)}) }

// Stable says that a value, i1 or i32, is expected to be the same in all lanes, and each time the block runs.
func (b *Builder) Stable(v V) { b.push(Inst{Op: Stable, Args: b.args(v)}) }

// Jump ends the block; execution continues at pc.
func (b *Builder) Jump(pc uint64) { b.push(Inst{Op: Jump, Imm: pc}) }

// JumpYields as Inst.Alt of a jump says that the wave lets others of its group run before it continues.
const JumpYields = 1

// Yield ends the block with a jump to next at which the wave lets others run: a sleep.
func (b *Builder) Yield(next uint64) { b.push(Inst{Op: Jump, Imm: next, Alt: JumpYields}) }

// Branch ends the block; execution continues at yes or no.
func (b *Builder) Branch(cond V, yes, no uint64) {
	b.push(Inst{Op: Branch, Imm: yes, Alt: no, Args: b.args(cond)})
}

// JumpX ends the block; execution continues at the 64-bit address.
func (b *Builder) JumpX(pc V) { b.push(Inst{Op: JumpX, Args: b.args(pc)}) }

// End ends the wave.
func (b *Builder) End() { b.push(Inst{Op: End}) }

// Retire terminates the lanes of the mask; the others continue at next.
func (b *Builder) Retire(mask V, next uint64) {
	b.push(Inst{Op: Retire, Imm: next, Args: b.args(mask)})
}

// MaxBarriers is the number of barriers of a group.
const MaxBarriers = 256

// What a wave does at a barrier, stored in Alt above its number.
const (
	BarrierSync   = iota // arrives, and waits for the others
	BarrierArrive        // arrives, and continues
	BarrierWait          // waits until all missing waves have arrived; continues at once if none has
	numBarrierKinds
)

// BarrierAt returns the number and the kind in a barrier op's Alt.
func BarrierAt(alt uint64) (number, kind int) { return int(alt % MaxBarriers), int(alt / MaxBarriers) }

// Barrier ends the block and waits until all waves of the group have arrived; then execution continues at next.
func (b *Builder) Barrier(next uint64) { b.BarrierN(0, V{}, next) }

// BarrierN is Barrier at the group's barrier of that number. lanes, if it is not the zero V, is a uniform i32: the
// barrier is then complete with waves of this many lanes in total, instead of all waves.
func (b *Builder) BarrierN(number int, lanes V, next uint64) {
	b.BarrierOf(BarrierSync, number, lanes, next)
}

// BarrierOf is BarrierN of a kind: BarrierSync, BarrierArrive or BarrierWait.
func (b *Builder) BarrierOf(kind, number int, lanes V, next uint64) {
	b.push(Inst{Op: Barrier, Imm: next, Alt: uint64(kind*MaxBarriers + number), Args: b.masked(lanes)})
}

// Trap ends the block with a fault.
func (b *Builder) Trap(r TrapReason, text string) {
	b.push(Inst{Op: Trap, Imm: uint64(r)})
	b.blk.Why = text
}
