package launch

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// An ownMemory is what a wave has for itself. A worker makes it once for each wave of its largest group.
type ownMemory struct {
	segment []byte         // of Launch.Own, nil if there is none
	global  []*mem.Space   // Env's, bank 0 under the segment
	private []*mem.Private // of Launch.Private, nil if there is none
}

// newOwn makes the memory of the wave of that number.
func (d *dispatch) newOwn(wave int) (o ownMemory, err error) {
	if d.l.Own != nil {
		e := d.l.Own(wave)
		g := mem.NewSegment(e.Name, e.Base, int(e.Size), e.Rights)
		o.segment = g.Data
		banks := d.l.Env.Spaces[ir.GlobalSpace]
		o.global = append(make([]*mem.Space, 0, max(len(banks), 1)), banks...)[:max(len(banks), 1)]
		if o.global[0], err = d.l.Env.Space(ir.GlobalSpace, 0).Overlay(g); err != nil {
			return o, err
		}
	}
	if d.l.Private.Size > 0 {
		p, err := mem.NewPrivate(d.l.Private, d.layout.Lanes, d.l.PrivateUnit)
		if err != nil {
			return o, err
		}
		p.Space = ir.PrivateSpace.String()
		o.private = []*mem.Private{p}
	}
	return o, nil
}

// give makes the memory zeros and puts it into the environment of a wave that begins.
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

// ownBytes is the size of what the waves of a group have for themselves.
func (d *dispatch) ownBytes(waves int) (n uint64) {
	n = uint64(waves) * uint64(d.layout.Lanes) * d.l.Private.Size
	for i := 0; i < waves && d.l.Own != nil; i++ {
		n += d.l.Own(i).Size
	}
	return n
}
