package exec

// An Observer receives the rare events of a launch as they happen, and frequent ones (probes) in batches. Calls
// come from all goroutines of the launch. Those for one group come in order from one goroutine.
type Observer interface {
	Observe(e Event)
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
)

var eventNames = [...]string{
	"none", "launch start", "launch end", "group start", "group end",
	"wave start", "wave end", "barrier reached", "barrier released", "fault", "probes",
}

func (k EventKind) String() string { return eventNames[k] }

// An Event is one thing that happened, and where. State is that of the wave, if it is an event of one wave; it is
// valid until Observe returns.
type Event struct {
	Kind EventKind
	Where
	State *State
	Fault *Fault
	// Barrier is the barrier that a wave has reached, or in Number that which was released.
	Barrier Barrier
	// Probes are the records of a wave's probe ops since the last such event, in execution order. They are valid
	// until Observe returns.
	Probes []Probe
	// Faults are, at the end of a group, the accesses of its waves that memory has refused and RecordFaults tolerated, and
	// those that only a declaration does not allow (mem.Segment.Also); nil: none. Valid until Observe returns.
	Faults *FaultLog
}
