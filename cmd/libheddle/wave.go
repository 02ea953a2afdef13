//go:build cgo

package main

// #define HEDDLE_NO_PROTOTYPES
// #include "heddle.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/ir"
)

// A wave is a wave of package heddle, with the registers that the caller has requested, by number.
type wave struct {
	mu      sync.Mutex // held by the call that uses it
	closed  bool
	w       *heddle.Wave
	regs    []*heddle.Reg
	ids     map[string]uint32
	timeout time.Duration

	hooks    map[C.heddle_hook]heddle.Hook
	lastHook C.heddle_hook
	told     *C.heddle_access // passed to access hooks
	room     C.size_t         // size of told and the data after it, in bytes
}

// use runs a function with exclusive access to the wave.
func (w *wave) use(f func() error) error {
	if !w.mu.TryLock() {
		return fail(C.HEDDLE_EBUSY, errors.New("another call is using the wave"))
	}
	defer w.mu.Unlock()
	if w.closed {
		return fail(C.HEDDLE_EHANDLE, errors.New("the wave was closed"))
	}
	return f()
}

// withWave implements a function of the interface on a wave.
func withWave(h C.heddle_wave, e **C.heddle_error, f func(w *wave) error) C.heddle_status {
	return guard(e, func() error {
		w, err := get[*wave](h)
		if err != nil {
			return err
		}
		return w.use(func() error { return f(w) })
	})
}

//export heddle_wave_new
func heddle_wave_new(h C.heddle_isa, program *C.char, length C.size_t, options *C.heddle_wave_options, out *C.heddle_wave,
	e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		a, err := get[*heddle.ISA](h)
		if err != nil {
			return err
		}
		src, err := text(program, length, "program")
		if err != nil {
			return err
		}
		o, err := sized(options, "heddle_wave_options")
		if err != nil {
			return err
		}
		if out == nil {
			return null("wave")
		}
		s, err := stateOf(&o)
		if err != nil {
			return err
		}
		var w *heddle.Wave
		if program == nil {
			w, err = a.EmptyWave(s)
		} else {
			w, err = a.NewWave(src, s)
		}
		if err != nil {
			return err
		}
		return opened(out, &wave{w: w, ids: map[string]uint32{}, timeout: time.Duration(o.timeout) * time.Millisecond})
	})
}

// stateOf converts the options to the initial state of a wave.
func stateOf(o *C.heddle_wave_options) (s heddle.State, err error) {
	s = heddle.State{InPlace: true, Lanes: int(o.lanes), Steps: uint64(o.steps)}
	if s.Engine, err = engineOf(o.engine, engines.Use{Brief: true}); err != nil {
		return s, err
	}
	regions, err := view(o.regions, o.region_count, "regions")
	if err != nil {
		return s, err
	}
	for i := range regions {
		r := &regions[i]
		data, err := memoryOf(r.data, r.size, r.flags, fmt.Sprintf("regions[%d]", i))
		if err != nil {
			return s, err
		}
		s.Global = append(s.Global, heddle.Region{Name: word(r.name), Addr: uint64(r.address), Data: data, ReadOnly: r.flags != 0})
	}
	if g := &o.group; g.size > 0 {
		if g.address != 0 || g.flags != 0 {
			return s, invalid("group: memory of a work-group begins at address 0, and can be written")
		}
		s.Group, err = memoryOf(g.data, g.size, 0, "group")
	}
	return s, err
}

// memoryOf returns memory of the caller that the guest works on.
func memoryOf(p unsafe.Pointer, size C.size_t, flags C.uint32_t, what string) ([]byte, error) {
	switch {
	case size == 0:
		return nil, invalid("%s has no bytes", what)
	case flags&^C.HEDDLE_READ_ONLY != 0:
		return nil, invalid("%s: flags %#x; there is HEDDLE_READ_ONLY", what, uint32(flags))
	}
	return bytesOf(p, size, what)
}

// engineOf returns the engine with a name; nil if none is requested.
func engineOf(called *C.char, use engines.Use) (exec.Engine, error) {
	if called == nil {
		return nil, nil
	}
	e, err := engines.Lookup(word(called), use)
	if err != nil {
		return nil, fail(C.HEDDLE_ENOTFOUND, err)
	}
	return e, nil
}

// register returns the number of a register by name.
func (w *wave) register(called *C.char) (uint32, error) {
	if called == nil {
		return 0, null("name")
	}
	key := unsafe.String((*byte)(unsafe.Pointer(called)), length(called)) // the caller's memory: it is not kept
	if id, ok := w.ids[key]; ok {
		return id, nil
	}
	key = strings.Clone(key)
	r, err := w.w.Reg(key)
	if err != nil {
		return 0, fail(C.HEDDLE_ENOTFOUND, err)
	}
	id := uint32(len(w.regs))
	w.ids[key], w.regs = id, append(w.regs, r)
	return id, nil
}

// length returns the length of a zero-terminated text; for names this is faster than a call into C.
func length(p *C.char) (n int) {
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return n
}

// lanes returns the register with a number, and the first lane of the values.
func (w *wave) lanes(reg C.uint32_t, lane C.int32_t, count int) (r *heddle.Reg, first int, err error) {
	if uint64(reg) >= uint64(len(w.regs)) {
		return nil, 0, fail(C.HEDDLE_ENOTFOUND, fmt.Errorf("register %d; heddle_wave_register has given %d numbers of this wave", uint32(reg), len(w.regs)))
	}
	r = w.regs[reg]
	if !r.PerLane() {
		if count > 1 {
			return nil, 0, invalid("%d values; the register has one for the wave", count)
		}
		return r, 0, nil
	}
	if n := w.w.Lanes(); lane < 0 || count > n || int(lane) > n-count {
		return nil, 0, invalid("%d lanes from %d on; the wave has %d", count, int(lane), n)
	}
	return r, int(lane), nil
}

// fits reports a bit pattern that is too long, or a register that cannot be set.
func fits(r *heddle.Reg, v C.uint64_t) error {
	if r.ReadOnly() {
		return invalid("the register is counted, and cannot be set")
	}
	if n := r.Bits(); n < 64 && v>>n != 0 {
		return invalid("%#x does not fit the register, which has %d bits", uint64(v), n)
	}
	return nil
}

func (w *wave) read(reg C.uint32_t, lane C.int32_t, values []C.uint64_t) error {
	r, first, err := w.lanes(reg, lane, len(values))
	if err != nil {
		return err
	}
	for i := range values {
		values[i] = C.uint64_t(r.Get(first + i))
	}
	return nil
}

func (w *wave) write(reg C.uint32_t, lane C.int32_t, values []C.uint64_t) error {
	all := lane == C.HEDDLE_ALL_LANES
	if all {
		if lane = 0; len(values) > 1 {
			return invalid("%d values for all lanes", len(values))
		}
	}
	r, first, err := w.lanes(reg, lane, len(values))
	if err != nil {
		return err
	}
	for _, v := range values {
		if err := fits(r, v); err != nil {
			return err
		}
	}
	if all {
		first = heddle.AllLanes
	}
	for i, v := range values {
		r.Set(first+i, uint64(v))
	}
	return nil
}

//export heddle_wave_register
func heddle_wave_register(h C.heddle_wave, called *C.char, out *C.heddle_register, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		if out == nil {
			return null("reg")
		}
		id, err := w.register(called)
		if err != nil {
			return err
		}
		r := w.regs[id]
		*out = C.heddle_register{id: C.uint32_t(id), bits: C.uint32_t(r.Bits()), lanes: 1}
		if r.PerLane() {
			out.lanes, out.per_lane = C.uint32_t(w.w.Lanes()), 1
		}
		return nil
	})
}

//export heddle_wave_read
func heddle_wave_read(h C.heddle_wave, reg C.uint32_t, lane C.int32_t, count C.size_t, values *C.uint64_t, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		list, err := view(values, count, "values")
		if err != nil {
			return err
		}
		return w.read(reg, lane, list)
	})
}

//export heddle_wave_write
func heddle_wave_write(h C.heddle_wave, reg C.uint32_t, lane C.int32_t, count C.size_t, values *C.uint64_t, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		list, err := view(values, count, "values")
		if err != nil {
			return err
		}
		return w.write(reg, lane, list)
	})
}

//export heddle_wave_get
func heddle_wave_get(h C.heddle_wave, called *C.char, lane C.int32_t, value *C.uint64_t, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		if value == nil {
			return null("value")
		}
		id, err := w.register(called)
		if err != nil {
			return err
		}
		return w.read(C.uint32_t(id), lane, unsafe.Slice(value, 1))
	})
}

//export heddle_wave_set
func heddle_wave_set(h C.heddle_wave, called *C.char, lane C.int32_t, value C.uint64_t, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		id, err := w.register(called)
		if err != nil {
			return err
		}
		return w.write(C.uint32_t(id), lane, []C.uint64_t{value})
	})
}

// run runs the program once, within the time left until the deadline, if there is one.
func (w *wave) run(ctx context.Context) error {
	if ctx == nil {
		return w.w.Run()
	}
	return w.w.RunContext(ctx)
}

// timed calls a function with a context that ends with the time limit of the wave's runs; nil if there is none.
func (w *wave) timed(f func(ctx context.Context) error) error {
	if w.timeout == 0 {
		return f(nil)
	}
	ctx, cancel := context.WithTimeout(context.Background(), w.timeout)
	defer cancel()
	return f(ctx)
}

//export heddle_wave_run
func heddle_wave_run(h C.heddle_wave, e **C.heddle_error) C.heddle_status {
	return still(h, e, func(w *wave) error { return w.timed(w.run) })
}

//export heddle_wave_counters
func heddle_wave_counters(h C.heddle_wave, out *C.heddle_counters, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		if out == nil {
			return null("counters")
		}
		c := w.w.Counters()
		*out = countersOf(&c)
		return nil
	})
}

func countersOf(c *exec.Counters) (v C.heddle_counters) {
	v.instructions, v.barriers = C.uint64_t(c.Instructions), C.uint64_t(c.Barriers)
	v.global, v.group = trafficOf(c.Memory[ir.GlobalSpace]), trafficOf(c.Memory[ir.GroupSpace])
	v.per_lane, v.constant = trafficOf(c.Memory[ir.PrivateSpace]), trafficOf(c.Memory[ir.ConstSpace])
	if c.About {
		v.approximate = 1
	}
	return v
}

func trafficOf(t exec.Traffic) C.heddle_traffic {
	return C.heddle_traffic{bytes_read: C.uint64_t(t.Read), bytes_written: C.uint64_t(t.Written), atomics: C.uint64_t(t.Atomics)}
}
