package isa

import "github.com/heddle-gpu/heddle/ir"

// Traits are what control flow rules know of the instructions of a row. Bits from TraitOwn up belong to the set.
type Traits uint64

const (
	// TraitControl: control may be transferred elsewhere than to the next instruction, or the instruction waits for
	// outstanding operations; its lift says how.
	TraitControl Traits = 1 << iota
	// TraitCall: calls the address in a register, and returns to the next instruction.
	TraitCall
	// TraitEnd: the wave ends; for rows without meaning.
	TraitEnd
	// TraitBarrier: waits for other waves of the workgroup.
	TraitBarrier
	// TraitLanes: a branch on values of the lanes of a wave, so that waves of a workgroup may take different paths.
	// On machines with a control stack, lifts show this.
	TraitLanes
	// TraitIndexOn and TraitIndexOff: between them, the registers that an instruction names are not those that it
	// accesses.
	TraitIndexOn
	TraitIndexOff
	// TraitGroup: accesses workgroup memory at the address that Flow.Group returns.
	TraitGroup
	// TraitVaries: its results may differ between lanes although its sources do not.
	TraitVaries
	// TraitSame: its results are uniform, whatever its sources.
	TraitSame
	// TraitPart: it writes only in the lanes that meet a condition.
	TraitPart
	// TraitGoes: Flow.Goes, not the lift, says where control continues.
	TraitGoes
	// TraitReconverge: diverged threads reconverge after it.
	TraitReconverge

	TraitOwn Traits = 1 << 16
)

// Flow is what control flow rules need of an instruction set besides the rows' operands and semantics.
type Flow struct {
	// Traits returns the traits of the instructions of a row; it is called once for each row.
	Traits func(d *Def) Traits
	// More returns the traits of an instruction that depend on its fields, in addition to those of its row; nil: none
	// do.
	More func(in *Inst, t Traits) Traits
	// States returns how many wait states an instruction takes; nil: one.
	States func(in *Inst, t Traits) int
	// Pending appends the operations that the instruction issues. t holds the cells that the instruction touches and
	// may be used for those of an operation. The semantics issue the same operations; see Arch.After. If any
	// instruction may wait, its waits are listed among them, in the order in which they happen; otherwise lifts show
	// waits.
	Pending func(in *Inst, t *Touched, dst []Operation) []Operation
	// Lead returns the part of a bundle that is passed to the functions here, and that findings name; nil: the first.
	Lead func(b *Bundle) *Inst
	// Touches computes what a bundle touches; nil: the operands of its parts tell.
	Touches func(t *Target, b *Bundle, to *Touched)
	// Nest returns how a bundle changes the nesting depth of blocks, for machines whose programs count it; nil: there
	// are no blocks. NestNone is the rule broken by a block end without a begin on any path, NestOpen the one broken
	// by a wave that terminates inside a block.
	Nest               func(t *Target, b *Bundle) Nesting
	NestNone, NestOpen string
	// Needs are operations that must have completed before instructions begin, besides those that write the cells
	// they touch.
	Needs []Need
	// Orders are pairs of instructions of which the second must not follow the first on any path.
	Orders []Order
	// Parted are rules about instructions that must not execute after threads of a group of lanes have diverged.
	Parted []Parted
	// Goes returns where control continues after a bundle whose first part has TraitGoes.
	Goes func(b *Bundle) Going
	// Active returns how an instruction changes the active lanes, for machines that mask lanes by data; nil: no
	// instruction does. t holds what it touches.
	Active func(in *Inst, t *Touched) ActiveChange
	// Drops appends the cells that the instruction declares dead, so that their values are lost after it; nil: no
	// instruction does.
	Drops func(in *Inst, dst []ir.Span) []ir.Span
	// Hazards are pairs of instructions that must not follow each other closely.
	Hazards []Hazard
	// Unset returns the rule broken by an instruction that reads the cell before anything wrote it; "": none.
	Unset func(in *Inst, t Traits, c ir.Cell) (rule string)
	// Never are the cells that have no value when a wave starts, however it is started.
	Never []ir.Cell
	// Begin appends those of Never that do have a value with the options of the target; nil: there are none.
	Begin func(t *Target, dst []ir.Span) []ir.Span
	// Alike are the cells with one value per lane that are uniform when a wave starts.
	Alike []ir.Cell
	// Group returns the first and last bound, in bytes, of an access to workgroup memory, given the bits of a cell;
	// false if they are unknown. The access must lie below the size that the program declares.
	Group func(in *Inst, cell func(ir.Cell) (uint64, bool)) (lo, hi uint64, ok bool)
	// Name returns how users write a cell; nil: Arch.CellName.
	Name func(variant int, c ir.Cell) string
	// Idle returns the instruction that takes this many wait states.
	Idle func(states int) string
	// Reconverge returns an instruction after which diverged threads reconverge.
	Reconverge func() string
	// Wait returns the instruction that waits until at most n operations of a queue are outstanding. With queue -1 it
	// waits for all operations of all queues.
	Wait func(queue, n int) string
	// Doubts are queues on which the instruction may or may not leave an operation outstanding, which its encoding
	// does not tell: RulePendingDoubt.
	Doubts []int
	// Full are queues that start no operation while Queue.Max others are outstanding: an operation followed by that
	// many is complete.
	Full []int
	// Callers are the queues on which operations may be outstanding when a function is called; nil: none.
	Callers []int
}

// An Operation is one that completes after the instruction that issues it, see ir.Issue, or a wait for all operations
// of a queue.
type Operation struct {
	Queue         int
	Writes, Reads []ir.Span
	Wait          bool
}

// A Nesting is the change of the nesting depth by an instruction, at least and at most; or, with anew, the depth
// after it.
type Nesting struct {
	Least, Most int
	Anew        bool
	Ends        bool // it ends a block, which must be open
}

// A Need is a rule about outstanding operations: when an instruction with one of Traits executes, no operation of the
// queues that an instruction with one of From issued may be outstanding.
type Need struct {
	Rule         string // of Arch.Rules
	Traits, From Traits // From 0: any
	Queues       uint64 // a bit per queue
	// Begun are queues on which operations may be outstanding when a wave starts: the instruction must have waited
	// for these, too.
	Begun uint64
	// Except reports targets whose programs need not obey the rule; nil: none.
	Except func(t *Target) bool
	// Behind says that nothing may be outstanding after the instruction, instead of before it.
	Behind bool
	// Some inverts the rule: on at least one path an operation of the queues must be outstanding.
	Some bool
	// Order makes it a rule about pairs: if an instruction issues an operation of one of the queues while one of
	// another is outstanding, no other instruction may do so in the opposite order.
	Order bool
	// Reach returns the memory that an instruction accesses; false: unknown. Of two accesses with equal bases and
	// disjoint bytes neither must wait for the other. nil: unknown for all instructions.
	Reach func(in *Inst) (Reach, bool)
	// Says is the message of findings, after the name of the instruction; "": that it must wait, or has nothing to
	// wait for.
	Says string
}

// A Reach is the bytes of memory from Lo up to, not including, Hi, relative to the address in the cells of Base.
type Reach struct {
	Base   ir.Span
	Lo, Hi int32
}

// ActiveChange is how an instruction changes which lanes of a wave are active.
type ActiveChange uint8

const (
	ActiveSame  ActiveChange = iota
	ActiveFewer              // a subset of the active lanes
	ActiveMore               // a superset of the active lanes
	ActiveAll                // all lanes
	ActiveOther              // unknown
)

// An Order is a rule about two instructions: one with a trait of Then must not execute after one with a trait of
// First.
type Order struct {
	Rule        string // of Arch.Rules
	First, Then Traits
	Says        string // the message of findings, after the name of the second
}

// A Parted is a rule about instructions with one of Traits, which read other lanes: no divergent branch may lead some
// lanes around them.
type Parted struct {
	Rule   string
	Traits Traits
	Says   string
}

// A Going is where control continues after an instruction: at the next one, at Target, and at unknown places if Open.
// Vague: the wave may terminate instead, so that nothing need follow.
type Going struct {
	Falls, Jumps, Open, Vague bool
	Target                    uint64
}

// A Hazard is a rule about two instructions: after First has touched cells, Then must not touch them before so many
// wait states have passed. Both functions return the relevant cells, a subset of those that the instruction touches;
// none: it does not apply.
type Hazard struct {
	Rule                    string // of Arch.Rules
	Variants                uint32 // bit i: variant i has it; 0: all that have the rule
	States                  int    // 0: until the cells are written by an instruction that First does not match
	Stays                   bool   // a new write of the cells does not end it: it is not their contents that are late
	FirstTraits, ThenTraits Traits // one of these; 0: any
	First, Then             func(in *Inst, t *Touched, dst []ir.Span) []ir.Span
}

// Touched is the cells that an instruction reads and writes, according to operand roles and implicit columns; a cell
// that is both read and written is in both lists. It is reused from one instruction to the next.
type Touched struct {
	Bundle        *Bundle // whose cells these are
	Reads, Writes []ir.Span
	Perhaps       []ir.Span // cells of which an unknown subset is written
	Kept          []ir.Span // of both: cells that are written in part and keep the rest
	spans         []Span
}

// Begin empties t for a new bundle.
func (t *Touched) Begin(b *Bundle) {
	t.Bundle, t.Reads, t.Writes, t.Kept, t.Perhaps = b, t.Reads[:0], t.Writes[:0], t.Kept[:0], t.Perhaps[:0]
}

// Of sets t to what the instruction touches.
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

// Operand returns the cells of one operand, whatever its role.
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

// The rules that package lint itself checks, in programs of sets that declare them.
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
