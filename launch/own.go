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
	shadows [][]byte       // of both, if the machine has a shadow
}

// newOwn creates the memory of the wave of that number.
func (s *Session) newOwn(wave int) (o ownMemory, err error) {
	shadow := s.l.shadowing()
	if s.l.Own != nil {
		banks := s.l.Env.Spaces[ir.GlobalSpace]
		o.global = append(make([]*mem.Space, 0, max(len(banks), 1)), banks...)[:max(len(banks), 1)]
		if o.segment, err = s.overlay(&o, wave, 0); err != nil {
			return o, err
		}
		if shadow != nil {
			first := shadow.Banks[ir.GlobalSpace]
			o.global = append(o.global, make([]*mem.Space, max(first+1-len(o.global), 0))...)
			data, err := s.overlay(&o, wave, first)
			if err != nil {
				return o, err
			}
			o.shadows = append(o.shadows, data)
		}
	}
	if s.l.Private.Size > 0 {
		p, err := s.private()
		if err != nil {
			return o, err
		}
		if o.private = []*mem.Private{p}; shadow != nil {
			if p, err = s.private(); err != nil {
				return o, err
			}
			list := append(make([]*mem.Private, shadow.Banks[ir.PrivateSpace]), p)
			list[0] = o.private[0]
			o.private, o.shadows = list, append(o.shadows, p.Data)
		}
	}
	return o, nil
}

// overlay puts the segment of a wave on top of a bank of global memory, and returns its bytes.
func (s *Session) overlay(o *ownMemory, wave, bank int) (data []byte, err error) {
	e := s.l.Own(wave)
	list := []mem.Segment{mem.NewSegment(e.Name, e.Base, int(e.Size), e.Rights)}
	if g := list[0]; s.l.OwnAlso != 0 {
		g.Name, g.Base = g.Name+", at its other address", g.Base-s.l.OwnAlso
		list = append(list, g)
	}
	o.global[bank], err = s.l.Env.Space(ir.GlobalSpace, uint8(bank)).Overlay(list...)
	return list[0].Data, err
}

// owns returns what reports whether an address of global memory is that of Own; nil: none is.
func (l *Launch) owns() func(wave int, addr uint64) bool {
	if l.Own == nil {
		return nil
	}
	return func(wave int, addr uint64) bool {
		e := l.Own(wave)
		return addr-e.Base < e.Size || l.OwnAlso != 0 && addr+l.OwnAlso-e.Base < e.Size
	}
}

func (s *Session) private() (*mem.Private, error) {
	p, err := mem.NewPrivate(s.l.Private, s.layout.Lanes, s.l.PrivateUnit)
	if err == nil {
		p.Space = ir.PrivateSpace.String()
	}
	return p, err
}

// give zeroes the memory and puts it into the environment of a wave that starts. What it holds is undefined.
func (o *ownMemory) give(env *exec.Env) {
	if o.segment != nil {
		clear(o.segment)
		env.Spaces[ir.GlobalSpace] = o.global
	}
	if o.private != nil {
		clear(o.private[0].Data)
		env.Private = o.private
	}
	for _, data := range o.shadows {
		exec.Undefine(data)
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
	if o.private != nil {
		c.private = []*mem.Private{{Data: bytes.Clone(o.private[0].Data)}}
	}
	for _, data := range o.shadows {
		c.shadows = append(c.shadows, bytes.Clone(data))
	}
	return c
}

// restore sets the bytes to those of a clone.
func (o *ownMemory) restore(c *ownMemory) {
	copy(o.segment, c.segment)
	if o.private != nil {
		copy(o.private[0].Data, c.private[0].Data)
	}
	for i, data := range o.shadows {
		copy(data, c.shadows[i])
	}
}
