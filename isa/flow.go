package isa

import "github.com/heddle-gpu/heddle/ir"

// Traits are what rules over the flow of control know of the instructions of a row. Bits from TraitOwn up are the set's.
type Traits uint64

const (
	// TraitControl: execution may go on elsewhere than behind the instruction, or it waits for pending operations: its lift
	// says how.
	TraitControl Traits = 1 << iota
	// TraitCall: goes on at an address that a register holds, and comes back behind itself.
	TraitCall
	// TraitEnd: the wave ends; for rows without meaning.
	TraitEnd
	// TraitBarrier: waits for other waves of the group.
	TraitBarrier
	// TraitLanes: a branch on what the lanes of a wave hold, so that waves of a group may go different ways. Of machines
	// with a control stack lifts tell it.
	TraitLanes
	// TraitIndexOn and TraitIndexOff: between them the registers that an instruction names are not those that it touches.
	TraitIndexOn
	TraitIndexOff
	// TraitGroup: accesses the memory of the group at an address that Flow.Group tells.
	TraitGroup
	// TraitVaries: what it writes may differ from lane to lane although what it reads does not.
	TraitVaries
	// TraitSame: what it writes is alike in all lanes that run, whatever it reads.
	TraitSame
	// TraitPart: it writes in the lanes of a condition only.
	TraitPart
	// TraitGoes: Flow.Goes says where execution goes on, and not the lift.
	TraitGoes
	// TraitReconverge: threads that went different ways meet behind it.
	TraitReconverge

	TraitOwn Traits = 1 << 16
)

// Flow is what rules over the flow of control ask of an instruction set beside the rows' operands and meanings.
type Flow struct {
	// Traits of the instructions of a row; it is asked once for each row.
	Traits func(d *Def) Traits
	// More are the traits that an instruction has beside those of its row, as its fields say; nil: none.
	More func(in *Inst, t Traits) Traits
	// States is how many wait states an instruction takes; nil: one.
	States func(in *Inst, t Traits) int
	// Pending appends the operations that the instruction leaves pending. What an operation names may stand in t, which holds
	// what the instruction touches. Meanings issue the same; see Arch.After. Where any instruction may wait, its waits stand
	// among them, in the order in which it acts; else lifts tell of waits.
	Pending func(in *Inst, t *Touched, dst []Operation) []Operation
	// Lead is the part of a bundle that the functions here get, and that findings name; nil: the first.
	Lead func(b *Bundle) *Inst
	// Touches fills what a bundle touches; nil: the operands of its parts say.
	Touches func(t *Target, b *Bundle, to *Touched)
	// Nest is how deep in blocks execution goes by a bundle, of machines whose programs count them; nil: there are no blocks. NestNone is
	// the rule that the end of a block breaks which no path has begun, NestOpen the one that a block breaks in which the wave ends.
	Nest               func(t *Target, b *Bundle) Nesting
	NestNone, NestOpen string
	// Needs are what must have ended before instructions begin, beside what writes the cells that they touch.
	Needs []Need
	// Orders are pairs of instructions of which one must not follow the other on any path.
	Orders []Order
	// Parted are rules about instructions that must not stand where a branch has parted the threads of a group of lanes.
	Parted []Parted
	// Goes is where execution goes on behind a bundle whose first part has TraitGoes.
	Goes func(b *Bundle) Going
	// Active says how an instruction changes which lanes are active, where data masks lanes; nil: no instruction does. t holds what
	// it touches.
	Active func(in *Inst, t *Touched) ActiveChange
	// Drops appends the cells whose value is lost behind the instruction, because it says that nobody reads them again; nil: no
	// instruction says that.
	Drops func(in *Inst, dst []ir.Span) []ir.Span
	// Hazards are pairs of instructions that must not follow each other closely.
	Hazards []Hazard
	// Unset is the rule that an instruction breaks which reads the cell although nothing wrote it; "": none.
	Unset func(in *Inst, t Traits, c ir.Cell) (rule string)
	// Never are the cells that have no value when a wave begins, however it is started.
	Never []ir.Cell
	// Begin appends those of Never that have a value all the same, by the options of the target; nil: there are none.
	Begin func(t *Target, dst []ir.Span) []ir.Span
	// Alike are cells that hold the same in all lanes when a wave begins, of those that each lane has for itself.
	Alike []ir.Cell
	// Group is where an access of the group's memory begins and ends, in bytes, given the bits of a cell; false if they are
	// not known. The access must lie below the size that the program declares.
	Group func(in *Inst, cell func(ir.Cell) (uint64, bool)) (lo, hi uint64, ok bool)
	// Name is how users write a cell; nil: Arch.CellName.
	Name func(variant int, c ir.Cell) string
	// Idle is the instruction that takes so many wait states.
	Idle func(states int) string
	// Reconverge is an instruction behind which threads meet that went different ways.
	Reconverge func() string
	// Wait is the instruction that waits until at most n operations of a queue stay pending.
	// With queue -1 it waits for all that is pending.
	Wait func(queue, n int) string
	// Doubts are queues on which an operation may be pending or not, which the instruction does not tell: RulePendingDoubt.
	Doubts []int
	// Full are queues on which an operation does not begin while Queue.Max others are pending: what so many have followed is done.
	Full []int
	// Callers: what a function may find pending when it is called is on these queues; nil: nothing.
	Callers []int
}

// An Operation is one that ends later than the instruction that begins it: see ir.Issue. Or it is the wait for all of a queue.
type Operation struct {
	Queue         int
	Writes, Reads []ir.Span
	Wait          bool
}

// A Nesting is by how much execution is deeper in blocks behind an instruction, at least and at most; or, anew, how deep it is then.
type Nesting struct {
	Least, Most int
	Anew        bool
	Ends        bool // it ends a block, which there must be
}

// A Need is a rule about what an instruction finds pending: instructions with one of Traits must find no operation of the
// queues pending that an instruction with one of From began.
type Need struct {
	Rule         string // of Arch.Rules
	Traits, From Traits // From 0: any
	Queues       uint64 // bits
	// Begun are queues on which something may be pending when a wave begins: it must have waited for them, too.
	Begun uint64
	// Except are targets whose programs need not keep the rule; nil: none.
	Except func(t *Target) bool
	// Behind says that nothing may be pending behind the instruction, not before it.
	Behind bool
	// Some turns the rule around: the instruction must find an operation of the queues pending, on one path at least.
	Some bool
	// Order turns it into a rule about pairs: an instruction that begins an operation of one of the queues while one of another is pending
	// must find no other instruction that does so the other way round.
	Order bool
	// Reach is where an instruction accesses memory; false: it is not known. Of two whose bases hold the same, and whose bytes are apart, none
	// needs the other to have ended. nil: it is known of none.
	Reach func(in *Inst) (Reach, bool)
	// Says is what is wrong, in findings, behind the name of the instruction; "": that it must wait, or has nothing to wait for.
	Says string
}

// A Reach is bytes of memory: from Lo on, before Hi, counted from the address that the cells of Base hold.
type Reach struct {
	Base   ir.Span
	Lo, Hi int32
}

// ActiveChange is how an instruction changes which lanes of a wave are active.
type ActiveChange uint8

const (
	ActiveSame  ActiveChange = iota
	ActiveFewer              // of those that were, some
	ActiveMore               // those that were, and others
	ActiveAll                // all lanes
	ActiveOther              // it is not known which
)

// An Order is a rule about two instructions: one with a trait of Then must not come after one with a trait of First.
type Order struct {
	Rule        string // of Arch.Rules
	First, Then Traits
	Says        string // what is wrong, in findings, after the name of the second
}

// A Parted is a rule about instructions with one of Traits, which look at other lanes: no branch on what lanes hold leads some lanes around them.
type Parted struct {
	Rule   string
	Traits Traits
	Says   string
}

// A Going is where execution goes on behind an instruction: at the next one, at Target, and elsewhere if Open. Vague: it may end
// instead, so that nothing need follow.
type Going struct {
	Falls, Jumps, Open, Vague bool
	Target                    uint64
}

// A Hazard is a rule about two instructions: when First has touched cells, Then must not touch them before so many wait
// states have passed. Both give the cells that count, a part of what the instruction touches; nothing: it is not meant.
type Hazard struct {
	Rule                    string // of Arch.Rules
	Variants                uint32 // bit i: variant i has it; 0: all that have the rule
	States                  int    // 0: until the cells are written by an instruction that First does not name
	Stays                   bool   // it is not over when the cells are written again: not their contents are late
	FirstTraits, ThenTraits Traits // one of these; 0: any
	First, Then             func(in *Inst, t *Touched, dst []ir.Span) []ir.Span
}

// Touched is the cells that an instruction reads and writes, as operand roles and implicit columns say: what is read and
// written is in both. It is reused from one instruction to the next.
type Touched struct {
	Bundle        *Bundle // whose cells these are
	Reads, Writes []ir.Span
	Perhaps       []ir.Span // of these some are written, which ones is not known
	Kept          []ir.Span // of both, those of which a part is written and the rest stays
	spans         []Span
}

// Begin empties t, for what a bundle touches.
func (t *Touched) Begin(b *Bundle) {
	t.Bundle, t.Reads, t.Writes, t.Kept, t.Perhaps = b, t.Reads[:0], t.Writes[:0], t.Kept[:0], t.Perhaps[:0]
}

// Of fills t with what the instruction touches.
func (t *Touched) Of(in *Inst) {
	t.Begin(nil)
	for i := range in.Def.Implicit {
		x := &in.Def.Implicit[i]
		t.add(x.Cell, x.N, x.Role)
	}
	for i := range in.Def.Args {
		t.arg(in, &in.Def.Args[i])
	}
}

// Operand is the cells of one operand, whatever its role.
func (t *Touched) Operand(in *Inst, a *Arg, dst []ir.Span) []ir.Span {
	if a.Kind.Cells == nil {
		return dst
	}
	t.spans = a.Kind.Cells(t.spans[:0], in, a, a.Get(in.Word))
	for _, sp := range t.spans {
		dst = append(dst, ir.Span{Cell: sp.Cell, Count: uint16(sp.N)})
	}
	return dst
}

func (t *Touched) arg(in *Inst, a *Arg) {
	role := a.RoleIn(in)
	if role == NoRole || a.Kind.Cells == nil {
		return
	}
	t.spans = a.Kind.Cells(t.spans[:0], in, a, a.Get(in.Word))
	for _, sp := range t.spans {
		r := role
		if sp.Role != NoRole {
			r = sp.Role
		}
		if r == UseDef && role == Define && sp.Bytes != 0 {
			t.Kept = append(t.Kept, ir.Span{Cell: sp.Cell, Count: uint16(sp.N)})
		}
		t.add(sp.Cell, sp.N, r)
	}
}

func (t *Touched) add(c ir.Cell, n int, role Role) {
	s := ir.Span{Cell: c, Count: uint16(n)}
	if role == Use || role == UseDef {
		t.Reads = append(t.Reads, s)
	}
	if role == Define || role == UseDef {
		t.Writes = append(t.Writes, s)
	}
}

// The rules that package lint itself looks for in programs of sets that have them.
const (
	RulePendingRead   = "pending-read"
	RulePendingWrite  = "pending-write"
	RulePendingSource = "pending-source"
	RulePendingDoubt  = "pending-flat"
	RulePendingReturn = "pending-return"
	RulePendingCall   = "pending-call"
	RuleGroupOutside  = "lds-outside"
	RuleBarrier       = "barrier-divergent"
	RuleBarrierStore  = "barrier-pending"
	RuleStackUnder    = "stack-underflow"
	RuleStackMismatch = "stack-mismatch"
	RuleStackInner    = "stack-inner"
	RuleStackUneven   = "stack-uneven"
	RuleStackDepth    = "stack-overflow"
	RuleStackQuad     = "quad-control"
	RuleReturnTop     = "return-at-top"
	RuleJoinPlace     = "join-place"
	RuleReconverge    = "reconverge-missing"
	RuleLastRead      = "last-read"
	RuleLastPending   = "last-pending"
)
