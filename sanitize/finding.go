package sanitize

import (
	"fmt"
	"hash/fnv"
	"io"
	"math/bits"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/isa"
)

// A Finding is what a sanitizer reports, in the form that all of them share: one instruction that breaks a rule, or two
// that break it together. It describes the first time; Count says how often it was found.
type Finding struct {
	Rule   string // of Rules
	Msg    string // what is wrong, without the instructions
	Case   string // of a build of a manifest or of a case: its name; ""
	Kernel string
	Group  [3]uint32
	Count  uint64
	Unit   string // what is counted: byte, lane, word, wave, time
	At     Side
	Others []Side // other instructions, in the order in which they ran
	Left   int    // instructions between those of Others that are left out: before the last one

	// Where it is, as far as that is known.
	Space    string // of a race: the address space
	Addr     uint64 // of a race: the first byte that both access
	Bytes    int    // of a race: how many bytes both access
	Register string // of a missing wait
	Buffer   string // of undefined-result, nan-result and infinity-result: its name, and the offset in it
	Offset   uint64
	Origin   string // of an undefined value
}

// A Side is an instruction of a finding, and who executed it.
type Side struct {
	Role string // load, store, atomic; read, write, issue; through; or what an undefined value is for
	Instruction
	Group      [3]uint32
	Wave, Lane int        // Lane -1: the wave as a whole
	Item       *exec.Item // what the lane works on, in a draw; else nil
}

// A Rule is a kind of defect.
type Rule struct {
	ID       string
	Check    string // the check that looks for it, of ParseChecks
	Severity isa.Severity
	Doc      string // what it means that a run breaks it
}

var rules = [...]Rule{
	{"undefined-address", "init", isa.SeverityError, "The address of an access has bits that nothing has set."},
	{"undefined-branch", "init", isa.SeverityError, "The condition or the target of a branch depends on bits that nothing has set."},
	{"undefined-exec", "init", isa.SeverityError, "The execution mask depends on bits that nothing has set."},
	{"undefined-mode", "init", isa.SeverityError, "The mode under which code is read depends on bits that nothing has set."},
	{"undefined-index", "init", isa.SeverityError, "The number of a register depends on bits that nothing has set."},
	{"undefined-descriptor", "init", isa.SeverityError, "The descriptor of an image, or the number of a texture unit or stream, has bits that nothing has set."},
	{"undefined-output", "init", isa.SeverityError, "An output of a stage has bits that nothing has set."},
	{"undefined-count", "init", isa.SeverityError, "How many lanes a barrier waits for depends on bits that nothing has set."},
	{"undefined-end", "init", isa.SeverityError, "Which lanes end depends on bits that nothing has set."},
	{"undefined-result", "init", isa.SeverityError, "Memory that the host reads has bits that nothing has set."},
	{"race-group", "race", isa.SeverityError, "Two waves of a workgroup access the same bytes of group memory with no barrier between, one of them writes, and not both are atomic."},
	{"race-global", "race", isa.SeverityError, "Two waves access the same bytes of global memory, one of them writes, not both are atomic, and no barrier of their workgroup is between."},
	{"race-same-value", "race", isa.SeverityWarning, "Workgroups store the same value to the same bytes, in no order: a flag, perhaps."},
	{"race-half-atomic", "race", isa.SeverityWarning, "A workgroup loads or stores bytes that another one updates by atomic operations, in no order: before a loop of compare and swap, perhaps."},
	{"race-lanes", "race", isa.SeverityError, "Lanes of one instruction store different values to the same bytes."},
	{"missing-wait", "wait", isa.SeverityError, "An instruction accesses a register that an outstanding operation has yet to write."},
	{"early-write", "wait", isa.SeverityError, "An instruction writes a register that an outstanding operation has yet to read."},
	{"early-barrier", "wait", isa.SeverityWarning, "A wave arrives at a barrier while its store to group memory is outstanding."},
	{"idle-wait", "wait", isa.SeverityNote, "An instruction waits, and nothing that it waits for was outstanding: on no path, if all paths are known."},
	{"clipped", "memory", isa.SeverityNote, "A bound of a descriptor, or a limit, has ruled out accesses: loads gave 0, stores were dropped."},
	{"outside-memory", "memory", isa.SeverityError, "An access is not inside one buffer; where faults are only recorded, its load gave 0 or its store was dropped."},
	{"misaligned", "memory", isa.SeverityError, "The address of an access is no multiple of what its instruction needs."},
	{"against-declaration", "memory", isa.SeverityWarning, "An access is not what a buffer is declared for: a store to an input, or to what an argument points to as const. It has happened."},
	{"sync-missed", "sync", isa.SeverityWarning, "A wave has ended without coming to a barrier that releases others of its workgroup. Hardware lets it pass."},
	{"sync-different", "sync", isa.SeverityWarning, "Waves of a workgroup release each other at different barrier instructions."},
	{"sync-divergent", "sync", isa.SeverityWarning, "Some lanes of a wave come to a barrier, and others of it are elsewhere."},
	{"sync-stuck", "sync", isa.SeverityError, "A wave waits at a barrier to which no other wave can come."},
	{"sync-spins", "sync", isa.SeverityNote, "A wave reached the limit of steps in a loop that only reads: perhaps it waits for a write that does not happen."},
	{"nan-result", "numeric", isa.SeverityWarning, "A NaN that an instruction has made goes to memory that the host reads, or is put out."},
	{"infinity-result", "numeric", isa.SeverityWarning, "An infinity that an instruction has made goes to memory that the host reads, or is put out."},
	{"nan-decides", "numeric", isa.SeverityWarning, "A comparison with a NaN that an instruction has made decides a branch, or which lanes are active."},
	{"conversion-range", "numeric", isa.SeverityWarning, "A conversion of a NaN, or of a number that its result cannot hold."},
	{"nan-made", "numeric", isa.SeverityNote, "A result is a NaN and no operand is; as far as is known it does not matter."},
	{"infinity-made", "numeric", isa.SeverityNote, "A result is an infinity and no operand is one, nor a NaN; as far as is known it does not matter."},
	{"zero-division", "numeric", isa.SeverityNote, "A division by zero, or a reciprocal or logarithm of zero, gives an infinity; as far as is known it does not matter."},
	{"denormal-flushed", "numeric", isa.SeverityNote, "The result is another one than if denormals were not flushed."},
}

// Rules returns the rules of all checks.
func Rules() []Rule { return append([]Rule(nil), rules[:]...) }

// RuleOf returns the rule of a name; nil: there is none.
func RuleOf(id string) *Rule {
	for i := range rules {
		if rules[i].ID == id {
			return &rules[i]
		}
	}
	return nil
}

// Severity returns how serious the finding is: that of its rule.
func (f *Finding) Severity() isa.Severity { return RuleOf(f.Rule).Severity }

// Check returns the name of the check that has found it.
func (f *Finding) Check() string { return RuleOf(f.Rule).Check }

// ID identifies the finding from run to run: by its rule, the case, the kernel, and the text and function of its
// instructions. Code elsewhere, addresses, lanes and counts do not change it. Findings that are alike in all that share
// an ID.
func (f *Finding) ID() string {
	h := fnv.New32a()
	side := func(s *Side) {
		text := s.Text
		if f.Rule == "undefined-branch" { // its distance changes with the code between
			text, _, _ = strings.Cut(text, " ")
		}
		io.WriteString(h, "\x00"+s.Place.Symbol+"\x00"+text)
	}
	if f.Case != "" {
		io.WriteString(h, f.Case+"\x00")
	}
	io.WriteString(h, f.Kernel)
	side(&f.At)
	if len(f.Others) > 0 {
		side(&f.Others[0])
	}
	return fmt.Sprintf("%s-%08x", f.Rule, h.Sum32())
}

// String returns the finding on one line.
func (f *Finding) String() string {
	s := fmt.Sprintf("%s in %v", f.Msg, f.At.Instruction)
	for i := range f.Others {
		if f.Left > 0 && i == len(f.Others)-1 {
			s += fmt.Sprintf("; %d more", f.Left)
		}
		s += fmt.Sprintf("; %s %v", f.Does(i), f.Others[i].Instruction)
	}
	return s
}

// Does describes the part of another instruction in the finding: its role, and who executed it if that is another lane:
// "store by wave 1 lane 3", to be followed by the instruction.
func (f *Finding) Does(other int) string {
	o := &f.Others[other]
	if o.Group == f.At.Group && o.Wave == f.At.Wave && o.Lane == f.At.Lane {
		return o.Role
	}
	return fmt.Sprintf("%s by %s:", o.Role, o.who(o.Group != f.At.Group))
}

// who names who executed the instruction: "wave 1 lane 3", and its workgroup if that is asked for.
func (s *Side) who(group bool) string {
	if s.Item != nil {
		return fmt.Sprintf("%v of draw %s", s.Item, s.Item.Draw)
	}
	text := fmt.Sprintf("wave %d", s.Wave)
	if s.Lane >= 0 {
		text += fmt.Sprintf(" lane %d", s.Lane)
	}
	if group {
		text += fmt.Sprintf(" of group (%d,%d,%d)", s.Group[0], s.Group[1], s.Group[2])
	}
	return text
}

// Finding returns the race as a finding. It is at the second access.
func (r *Race) Finding() Finding {
	side := func(a *Access) Side { return Side{a.How.String(), a.Instruction, a.Group, a.Wave, a.Lane, nil} }
	f := Finding{Rule: "race-group", Kernel: r.Kernel, Group: r.Second.Group, Count: r.Count, Unit: "byte", At: side(&r.Second), Others: []Side{side(&r.First)},
		Space: r.Space, Addr: r.Addr, Bytes: r.Bytes, Buffer: r.Buffer, Offset: r.Offset}
	what := "race"
	switch {
	case r.Kind == AmongLanes:
		f.Rule = "race-lanes"
	case r.Benign() && r.Kind == SameValue:
		f.Rule = "race-same-value"
	case r.Benign():
		f.Rule = "race-half-atomic"
	case r.Space != "group":
		f.Rule = "race-global"
	}
	switch r.Kind {
	case SameValue:
		what += " of equal values"
	case HalfAtomic:
		what += " with an atomic operation"
	case AmongLanes:
		what += " of lanes"
	}
	where := fmt.Sprintf("%s memory at %#x", r.Space, r.Addr)
	if r.Buffer != "" {
		where = fmt.Sprintf("%q at +%#x", r.Buffer, r.Offset)
	}
	between := "with no barrier between"
	switch {
	case r.Kind == AmongLanes:
		between = "different values"
	case r.Across():
		between = "nothing orders workgroups"
	}
	f.Msg = fmt.Sprintf("%s on %s of %s, %s: %s by %s", what, spell.Count(r.Bytes, "byte"), where, between, r.Second.How, f.At.who(r.Across()))
	return f
}

// Finding returns the missing wait as a finding.
func (e *Early) Finding() Finding {
	f := Finding{Rule: "missing-wait", Kernel: e.Kernel, Group: e.Group, Count: e.Count, Unit: "time", At: Side{"read", e.At, e.Group, e.Wave, e.Lane, e.Item},
		Others: []Side{{"issued by", e.From, e.Group, e.Wave, e.Lane, e.Item}}, Register: e.Register}
	does, left := "reads", "write"
	if e.Writes {
		does, f.At.Role = "writes", "write"
	}
	if e.Source {
		f.Rule, left = "early-write", "read"
	}
	f.Msg = fmt.Sprintf("%s %s %s, which an outstanding operation has yet to %s: nothing has waited for it", f.At.who(false), does, e.Register, left)
	if e.Barrier {
		f.Rule, f.At.Role, f.At.Lane, f.Others[0].Lane = "early-barrier", "barrier", -1, -1
		f.Msg = fmt.Sprintf("%s arrives at a barrier while a store to %s is outstanding: nothing has waited for it", f.At.who(false), e.Register)
	}
	return f
}

// Finding returns the wait as a finding.
func (i *Idle) Finding() Finding {
	return Finding{Rule: "idle-wait", Kernel: i.Kernel, Count: i.Count, Unit: "wave", Msg: "waits for nothing: nothing was outstanding", At: Side{"wait", i.At, [3]uint32{}, 0, -1, nil}}
}

// ruleOf are the rules of kinds of undefined values.
var ruleOf = [...]struct{ kind, rule string }{
	{"address", "undefined-address"}, {"branch", "undefined-branch"}, {"execution mask", "undefined-exec"}, {"mode", "undefined-mode"},
	{"register number", "undefined-index"}, {"descriptor", "undefined-descriptor"}, {"output", "undefined-output"},
	{"number of lanes", "undefined-count"}, {"end", "undefined-end"}, {inMemory, "undefined-result"},
}

// Finding returns the use of an undefined value as a finding.
func (u *Undefined) Finding() Finding {
	lane := bits.TrailingZeros64(u.Lanes)
	f := Finding{Kernel: u.Kernel, Group: u.Group, Count: u.Count, Unit: "lane", At: Side{u.Kind, u.At, u.Group, u.Wave, lane, u.Item}, Left: u.Left, Buffer: u.Buffer, Offset: u.Offset,
		Origin: u.Origin.String()}
	for _, x := range ruleOf {
		if x.kind == u.Kind {
			f.Rule = x.rule
		}
	}
	what := fmt.Sprintf("undefined %s in", u.Kind)
	if u.Kind == inMemory {
		f.Unit, what = "word", fmt.Sprintf("undefined value in %q at +%#x, which the host reads, stored by", u.Buffer, u.Offset)
	}
	f.Msg = fmt.Sprintf("%s %s, from %v", what, f.At.who(false), u.Origin)
	for _, in := range u.Path {
		f.Others = append(f.Others, Side{"through", in, u.Group, u.Wave, lane, u.Item})
	}
	return f
}
