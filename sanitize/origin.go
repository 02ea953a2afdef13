package sanitize

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Init returns the check for undefined values; nil: it is not among the checks.
func (s *Sanitizer) Init() *Init { return s.init }

// Whole reports whether registers that the code never reads are undefined, too, where a wave starts. Nothing comes of
// these, but a debugger shows them.
func (s *Sanitizer) Whole() bool { return s.Direct }

// OfRegister returns the origin and the path of the undefined bits that a register of a wave of the launch has in a
// lane, if it has some.
func (u *Init) OfRegister(at *exec.Where, c ir.Cell, lane int) *Undefined {
	u.mu.Lock()
	defer u.mu.Unlock()
	s := u.inCell(u.wave(at), c, lane, false)
	if s == nil {
		s = u.paths.from(Origin{Register: nameOf(u.code, c)})
	}
	return undefinedBy(s, at, lane)
}

// OfMemory is OfRegister of memory, in a bank of a space; lane is whose private memory.
func (u *Init) OfMemory(at *exec.Where, space ir.SpaceID, bank uint8, lane int, addr uint64) *Undefined {
	u.mu.Lock()
	defer u.mu.Unlock()
	list, key := u.wordAt(u.wave(at), at, space, bank, lane, addr)
	s := u.pathOf(list, key, space)
	if s == nil {
		s = u.paths.from(u.unset(space, bank, addr))
	}
	return undefinedBy(s, at, lane)
}

// undefinedBy returns an undefined value by its path.
func undefinedBy(s *step, at *exec.Where, lane int) *Undefined {
	x := &Undefined{Kind: "value", Kernel: at.Kernel, Group: at.Group, Wave: at.Wave, Lanes: 1 << max(lane, 0), Origin: s.first().origin, Count: 1}
	x.Path, x.Left = s.instructions()
	return x
}
