package launch

import (
	"bytes"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// An ownMemory is the memory that only one wave can access. A slot creates it once for each wave of its largest group.
type ownMemory struct {
	segment []byte         // of Launch.Own, nil if there is none
	global  []*mem.Space   // Env's, with bank 0 below the segment
	private []*mem.Private // of Launch.Private, nil if there is none
}

// newOwn creates the memory of the wave of that number.
func (s *Session) newOwn(wave int) (o ownMemory, err error) {
	if s.l.Own != nil {
		e := s.l.Own(wave)
		g := mem.NewSegment(e.Name, e.Base, int(e.Size), e.Rights)
		o.segment = g.Data
		banks := s.l.Env.Spaces[ir.GlobalSpace]
		o.global = append(make([]*mem.Space, 0, max(len(banks), 1)), banks...)[:max(len(banks), 1)]
		if o.global[0], err = s.l.Env.Space(ir.GlobalSpace, 0).Overlay(g); err != nil {
			return o, err
		}
	}
	if s.l.Private.Size > 0 {
		p, err := mem.NewPrivate(s.l.Private, s.layout.Lanes, s.l.PrivateUnit)
		if err != nil {
			return o, err
		}
		p.Space = ir.PrivateSpace.String()
		o.private = []*mem.Private{p}
	}
	return o, nil
}

// give zeroes the memory and puts it into the environment of a wave that starts.
func (o *ownMemory) give(env *exec.Env) {
	if o.segment != nil {
		clear(o.segment)
		env.Spaces[ir.GlobalSpace] = o.global
	}
	if o.private != nil {
		clear(o.private[0].Data)
		env.Private = o.private
	}
}

// ownBytes returns the size of the memory that the waves of a group have to themselves.
func (s *Session) ownBytes(waves int) (n uint64) {
	n = uint64(waves) * uint64(s.layout.Lanes) * s.l.Private.Size
	for i := 0; i < waves && s.l.Own != nil; i++ {
		n += s.l.Own(i).Size
	}
	return n
}

// clone returns a copy of the bytes; it has no spaces.
func (o *ownMemory) clone() (c ownMemory) {
	c.segment = bytes.Clone(o.segment)
	for _, p := range o.private {
		c.private = append(c.private, &mem.Private{Data: bytes.Clone(p.Data)})
	}
	return c
}

// restore sets the bytes to those of a clone.
func (o *ownMemory) restore(c *ownMemory) {
	copy(o.segment, c.segment)
	for i, p := range o.private {
		copy(p.Data, c.private[i].Data)
	}
}
