package exec

import "math/bits"

// A Probe is the record of a probe op that ran with a non-empty mask.
type Probe struct {
	Kind   uint64   // Imm of the op
	PC     uint64   // of the guest instruction
	Lanes  uint64   // the mask
	Values []uint64 // the op's operands, for each lane of the mask in turn
	// Of observers that take them so (see TakesSeries), Values is nil if the op has one operand and it is First + i*Step
	// in lane i of the mask.
	First, Step uint64
}

// TakesSeries reports whether an observer accepts operands as series. One that does has a method TakesSeries that says
// so. The same operands may also be told as Values.
func TakesSeries(o Observer) bool {
	takes, ok := o.(interface{ TakesSeries() bool })
	return ok && takes.TakesSeries()
}

// A ProbeLog collects the records of probe ops, and passes them to an observer in batches. A runner flushes it
// before Run returns, so waves that run one after another may share it.
type ProbeLog struct {
	Observer Observer
	Stage    Stage // of a draw; nil: of a launch
	batch    []Probe
	values   []uint64 // backing array of the batch's Values
	series   bool     // the observer takes them
}

// Sizes of a batch. One that was full is followed by a larger one: many runs are short.
const (
	firstBatch  = 16
	firstValues = 1 << 8
	probeBatch  = 512
	probeValues = 1 << 14
)

// Record adds a record and returns its space for the values of n operands in each of the lanes, which the caller
// fills in.
func (l *ProbeLog) Record(e *Env, kind, pc, lanes uint64, n int) []uint64 {
	n *= bits.OnesCount64(lanes)
	l.room(e, n)
	at := len(l.values)
	l.values = l.values[:at+n]
	l.batch = append(l.batch, Probe{Kind: kind, PC: pc, Lanes: lanes, Values: l.values[at : at+n : at+n]})
	return l.values[at : at+n]
}

// room makes room for a record with n values.
func (l *ProbeLog) room(e *Env, n int) {
	if len(l.batch) < cap(l.batch) && len(l.values)+n <= cap(l.values) {
		return
	}
	l.grow(e, n)
}

// grow flushes the log, if it is full, and gives it more room.
func (l *ProbeLog) grow(e *Env, n int) {
	if l.batch == nil {
		l.series = TakesSeries(l.Observer)
	}
	full := len(l.batch) == cap(l.batch)
	l.Flush(e)
	if full && cap(l.batch) < probeBatch {
		l.batch = make([]Probe, 0, max(4*cap(l.batch), firstBatch))
	}
	if cap(l.values) < n || !full && cap(l.values) < probeValues {
		l.values = make([]uint64, 0, max(min(4*cap(l.values), probeValues), firstValues, n))
	}
}

// RecordSeries adds a record of one operand, which has the value first + i*step in lane i.
func (l *ProbeLog) RecordSeries(e *Env, kind, pc, lanes, first, step uint64) {
	l.room(e, 0)
	if !l.series {
		to := l.Record(e, kind, pc, lanes, 1)
		for i := range to {
			to[i] = first + step*uint64(bits.TrailingZeros64(lanes))
			lanes &= lanes - 1
		}
		return
	}
	l.batch = append(l.batch, Probe{Kind: kind, PC: pc, Lanes: lanes, First: first, Step: step})
}

// Flush passes the pending records to the observer. They belong to the wave of the Env.
func (l *ProbeLog) Flush(e *Env) {
	if len(l.batch) > 0 {
		l.Observer.Observe(Event{Kind: Probed, Where: e.Where, Probes: l.batch, Stage: l.Stage})
		l.batch, l.values = l.batch[:0], l.values[:0]
	}
}
