package sanitize

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// Both combines several sanitizers of one launch. The kinds of their probes differ.
type Both []interface {
	exec.Observer
	Watch(code ir.Code, windows []exec.Window) ir.Code
}

// Watch returns the code with the probes of all.
func (b Both) Watch(code ir.Code, windows []exec.Window) ir.Code {
	for _, w := range b {
		code = w.Watch(code, windows)
	}
	return code
}

// Observe passes an event to all.
func (b Both) Observe(e exec.Event) {
	for _, w := range b {
		w.Observe(e)
	}
}

// Shadows returns those of the sanitizer that needs a shadow; nil: none does.
func (b Both) Shadows() *mem.Shadows {
	for _, w := range b {
		if s, ok := w.(interface{ Shadows() *mem.Shadows }); ok {
			return s.Shadows()
		}
	}
	return nil
}

// Memory tells those that want to know what the next launch accesses.
func (b Both) Memory(env *exec.Env, own func(wave int) mem.Extent) {
	for _, w := range b {
		if m, ok := w.(interface {
			Memory(env *exec.Env, own func(wave int) mem.Extent)
		}); ok {
			m.Memory(env, own)
		}
	}
}

// Racing reports whether one of them looks for races in the memory of groups, and in global memory.
func (b Both) Racing() (group, global bool) {
	for _, w := range b {
		if r, ok := w.(filterer); ok {
			inGroup, inGlobal := r.Racing()
			group, global = group || inGroup, global || inGlobal
		}
	}
	return group, global
}

// Filter returns the code for a run in which races are not looked for, and its observer.
func (b Both) Filter(code ir.Code, windows []exec.Window) (ir.Code, exec.Observer) {
	var list observers
	for _, w := range b {
		if r, ok := w.(filterer); ok {
			var o exec.Observer
			if code, o = r.Filter(code, windows); o != nil {
				list = append(list, o)
			}
			continue
		}
		code, list = w.Watch(code, windows), append(list, w)
	}
	if len(list) == 0 {
		return code, nil
	}
	return code, list
}

// Suspects reports whether one of them has seen what may be a race since Filter.
func (b Both) Suspects() bool {
	for _, w := range b {
		if r, ok := w.(filterer); ok && r.Suspects() {
			return true
		}
	}
	return false
}

// filterer is what Races has.
type filterer interface {
	Racing() (group, global bool)
	Filter(code ir.Code, windows []exec.Window) (ir.Code, exec.Observer)
	Suspects() bool
}

// observers all receive the same events.
type observers []exec.Observer

func (os observers) Observe(e exec.Event) {
	for _, o := range os {
		o.Observe(e)
	}
}
