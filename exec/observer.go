package exec

import "slices"

// An Observer receives the rare events of a launch as they happen, and frequent ones (probes) in batches. Calls
// come from all goroutines of the launch. Those for one group come in order from one goroutine.
type Observer interface {
	Observe(e Event)
}

// Observers all receive the same events.
type Observers []Observer

// Observe passes an event to all.
func (os Observers) Observe(e Event) {
	for _, o := range os {
		o.Observe(e)
	}
}

// OnlyProbes reports whether none of them looks at more: see LooksAtWaves.
func (os Observers) OnlyProbes() bool { return !slices.ContainsFunc(os, LooksAtWaves) }

// TakesSeries reports whether all of them do: see TakesSeries.
func (os Observers) TakesSeries() bool {
	return !slices.ContainsFunc(os, func(o Observer) bool { return !TakesSeries(o) })
}

// LooksAtWaves reports whether an observer may look at more than probes, faults, and what starts and ends. One that
// does not has a method OnlyProbes that says so, and need hear of nothing else. Then waves of a group run together.
func LooksAtWaves(o Observer) bool {
	only, ok := o.(interface{ OnlyProbes() bool })
	return o != nil && !(ok && only.OnlyProbes())
}

// An EventKind says what happened.
type EventKind uint8

const (
	LaunchStart EventKind = iota + 1
	LaunchEnd
	GroupStart
	GroupEnd
	WaveStart
	WaveEnd
	BarrierReached  // by the wave
	BarrierReleased // for the whole group
	FaultRaised     // Fault is set
	Probed          // Probes is set
	OutputsRead     // a draw has read the outputs of the wave, which has ended: Outputs and Program are set
)

var eventNames = [...]string{
	"none", "launch start", "launch end", "group start", "group end",
	"wave start", "wave end", "barrier reached", "barrier released", "fault", "probes", "outputs read",
}

func (k EventKind) String() string { return eventNames[k] }

// Sizes are what a launch takes of the part of a chip that runs a group. 0: none, or not known.
type Sizes struct {
	Items  int // work-items of a group
	Group  int // bytes of group memory of a group
	Vector int // vector registers of a lane, as the code object or the command stream says
	Scalar int // scalar registers of a wave, likewise
}

// An Event is one thing that happened, and where. State is that of the wave, if it is an event of one wave; it is
// valid until Observe returns.
type Event struct {
	Kind EventKind
	Where
	State *State
	Fault *Fault
	// Sizes are those of the launch that starts; nil: nothing is known of them.
	Sizes *Sizes
	// Barrier is the barrier that a wave has reached, or in Number that which was released.
	Barrier Barrier
	// Probes are the records of a wave's probe ops since the last such event, in execution order. They are valid
	// until Observe returns.
	Probes []Probe
	// Faults are, at the end of a group, the accesses of its waves that memory has refused and RecordFaults tolerated, and
	// those that only a declaration does not allow (mem.Segment.Also); nil: none. Valid until Observe returns.
	Faults *FaultLog
	// Stage says what the lanes of a wave of a draw work on; nil: it is of a launch. Valid until Observe returns.
	Stage Stage
	// Outputs are those that a draw has read, and Program is what the wave has run.
	Outputs []OutputRead
	Program *Program
}
