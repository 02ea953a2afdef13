//go:build cgo

package main

// #define HEDDLE_NO_PROTOTYPES
// #include "heddle.h"
import "C"

import (
	"context"
	"fmt"

	"github.com/heddle-gpu/heddle"
)

// A port is a register that is an input or output of many runs, in lanes from one on, or with the same value in all
// lanes.
type port struct {
	reg    *heddle.Reg
	first  int
	each   int // values per run
	values []C.uint64_t
	stride int
}

// ports converts the caller's ports. All checks are done here, for all runs; runs check only the lengths of values.
func (w *wave) ports(p *C.heddle_port, n, runs C.size_t, input bool, what string) (list []port, err error) {
	given, err := view(p, n, what)
	if err != nil {
		return nil, err
	}
	for i := range given {
		g, called := &given[i], fmt.Sprintf("%s[%d]", what, i)
		q := port{each: 1, stride: int(g.stride)}
		lane := g.lane
		switch {
		case lane == C.HEDDLE_ALL_LANES && !input:
			return nil, invalid("%s: all lanes have one value only where they are given it; HEDDLE_EACH_LANE reads all", called)
		case lane == C.HEDDLE_ALL_LANES:
			lane = 0
		case lane == C.HEDDLE_EACH_LANE:
			if lane = 0; uint64(g.reg) < uint64(len(w.regs)) && w.regs[g.reg].PerLane() {
				q.each = w.w.Lanes()
			}
		}
		if q.reg, q.first, err = w.lanes(g.reg, lane, q.each); err != nil {
			return nil, fmt.Errorf("%s: %w", called, err)
		}
		if g.lane == C.HEDDLE_ALL_LANES {
			q.first = heddle.AllLanes
		}
		if uint64(runs) > maxBytes || uint64(g.stride) > maxBytes/max(uint64(runs), 1) {
			return nil, invalid("%s: %d runs with a stride of %d", called, uint64(runs), uint64(g.stride))
		}
		size := C.size_t(0)
		if runs > 0 {
			size = (runs-1)*g.stride + C.size_t(q.each)
		}
		if q.values, err = view(g.values, size, called+".values"); err != nil {
			return nil, err
		}
		list = append(list, q)
	}
	return list, nil
}

//export heddle_wave_run_many
func heddle_wave_run_many(h C.heddle_wave, count C.size_t, inputs *C.heddle_port, inputCount C.size_t, outputs *C.heddle_port, outputCount C.size_t,
	done *C.size_t, e **C.heddle_error) C.heddle_status {
	return still(h, e, func(w *wave) error {
		in, err := w.ports(inputs, inputCount, count, true, "inputs")
		if err != nil {
			return err
		}
		out, err := w.ports(outputs, outputCount, count, false, "outputs")
		if err != nil {
			return err
		}
		n := 0
		defer func() {
			if done != nil {
				*done = C.size_t(n)
			}
		}()
		return w.timed(func(ctx context.Context) error {
			for ; n < int(count); n++ {
				if err := w.state(ctx, n, in, out); err != nil {
					return fmt.Errorf("run %d: %w", n, err)
				}
			}
			return nil
		})
	})
}

// state sets the state of run i of many.
func (w *wave) state(ctx context.Context, i int, in, out []port) error {
	for k := range in {
		p := &in[k]
		for j, v := range p.values[i*p.stride:][:p.each] {
			if err := fits(p.reg, v); err != nil {
				return fmt.Errorf("inputs[%d]: %w", k, err)
			}
			p.reg.Set(p.first+j, uint64(v))
		}
	}
	if err := w.run(ctx); err != nil {
		return err
	}
	for k := range out {
		p := &out[k]
		values := p.values[i*p.stride:][:p.each]
		for j := range values {
			values[j] = C.uint64_t(p.reg.Get(p.first + j))
		}
	}
	return nil
}
