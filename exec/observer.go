package exec

// An Observer is told of the rare events of a launch as they happen, and of hot ones, probes, in batches. Calls come from all of the
// launch's goroutines; those about one group come in order from one of them.
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

// An Event is one thing that happened, and where. State is that of the wave, for its events
// only; it is valid until Observe returns.
type Event struct {
	Kind EventKind
	Where
	State *State
	Fault *Fault
	// Probes are the records of a wave's probe ops since the last such event, in the order in which they ran;
	// they are valid until Observe returns.
	Probes []Probe
}
