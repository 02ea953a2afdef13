package exec

import "math/bits"

// A Probe is the record of a probe op that ran with lanes in its mask.
type Probe struct {
	Kind   uint64   // Imm of the op
	PC     uint64   // of the guest instruction
	Lanes  uint64   // the mask
	Values []uint64 // the op's operands, of each lane of the mask in turn
}

// A ProbeLog collects the records of probe ops, and tells an observer of many at once. A wave's runner flushes it
// before Run returns, so waves that run one after another may share it.
type ProbeLog struct {
	Observer Observer
	batch    []Probe
	values   []uint64 // behind those of the batch
}

// Bounds of a batch.
const (
	probeBatch  = 512
	probeValues = 1 << 14
)

// Record adds a record and returns room for the values of n operands in each of the lanes, to be filled in.
func (l *ProbeLog) Record(e *Env, kind, pc, lanes uint64, n int) []uint64 {
	n *= bits.OnesCount64(lanes)
	if len(l.batch) == probeBatch || len(l.values)+n > cap(l.values) {
		l.Flush(e)
	}
	if l.batch == nil {
		l.batch, l.values = make([]Probe, 0, probeBatch), make([]uint64, 0, probeValues)
	}
	at := len(l.values)
	l.values = l.values[:at+n]
	l.batch = append(l.batch, Probe{Kind: kind, PC: pc, Lanes: lanes, Values: l.values[at : at+n : at+n]})
	return l.values[at : at+n]
}

// Flush tells the observer of what has not been told, which happened in the wave of the Env.
func (l *ProbeLog) Flush(e *Env) {
	if len(l.batch) > 0 {
		l.Observer.Observe(Event{Kind: Probed, Where: e.Where, Probes: l.batch})
		l.batch, l.values = l.batch[:0], l.values[:0]
	}
}
