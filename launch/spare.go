package launch

import "github.com/heddle-gpu/heddle/exec"

// A slot is large, and its runner knows the code that it has run. So a launch takes over slots of earlier launches of
// its program, if their runners last and nothing observes.

// takeSlot returns a spare slot of the program, or a new one. It has no group, and nothing of an earlier launch but
// memory that groups find zeroed.
func (s *Session) takeSlot() *Slot {
	if s.reuses() {
		w, _ := s.l.Program.Spare.Get().(*Slot)
		if w != nil && w.engine == s.l.Engine && w.layout.Lanes == s.layout.Lanes {
			w.join(s)
			return w
		}
	}
	return s.NewSlot()
}

// reuses reports whether slots can be those of other launches.
func (s *Session) reuses() bool {
	e, ok := s.l.Engine.(exec.Lasting)
	return ok && e.Lasts() && s.l.Observer == nil
}

// giveSlot leaves a slot to later launches. Its group has ended.
func (s *Session) giveSlot(w *Slot) {
	if !s.reuses() {
		return
	}
	w.shadowed = groupShadow{}
	w.Group, w.Waves, w.s, w.foot, w.initCache = Group{}, nil, nil, nil, initCache{}
	w.env, w.known, w.undefined, w.apart, w.met = exec.Env{}, false, nil, false, false
	for i := range w.made {
		v := &w.made[i]
		v.Env, v.own, v.owns, v.begun = exec.Env{}, ownMemory{}, false, false
	}
	s.l.Program.Spare.Put(w)
}
