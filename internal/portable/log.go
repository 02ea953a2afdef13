package portable

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// tell passes on what probes in machine code have told since it was entered. The env is that of their wave.
func (r *runner) tell(env *exec.Env) {
	log := r.ran.Log
	if r.ran.Log = nil; env.Probes == nil {
		return
	}
	for len(log) > 0 {
		head, mask := log[0], log[1]
		log = log[LogHead:]
		of := &r.links[uint32(head)].ops[head&^LogRow>>32].more.generic
		if head&LogRow == 0 {
			env.Probes.RecordSeries(env, of.In.Imm, of.PC, mask, log[0], log[1])
			log = log[LogSeries-LogHead:]
			continue
		}
		to := env.Probes.Record(env, of.In.Imm, of.PC, mask, 1)
		row := log[:r.st.Lanes]
		if len(to) == len(row) {
			copy(to, row)
		} else {
			for i := range to {
				to[i] = row[bits.TrailingZeros64(mask)%ir.MaxLanes]
				mask &= mask - 1
			}
		}
		log = log[(len(row)+LogLanes-1)/LogLanes*LogLanes:]
	}
}

// tellOf passes on what probes have told of a wave that ran with others.
func (r *runner) tellOf(t *exec.WaveTurn) {
	if len(r.ran.Log) > 0 && t.Env.Probes != nil {
		r.tell(t.Env)
		t.Env.Probes.Flush(t.Env)
	}
}
