package ref

import (
	"fmt"
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// effects runs the ops that touch state or memory, by op.
var effects = [...]func(r *runner, o *op) bool{
	ir.Get:       get,
	ir.Set:       set,
	ir.GetX:      getX,
	ir.SetX:      setX,
	ir.SetLast:   setLast,
	ir.Live:      live,
	ir.Clock:     clock,
	ir.CtlCheck:  ctlCheck,
	ir.Load:      load,
	ir.Store:     store,
	ir.AtomicRMW: atomicRMW,
	ir.Check:     check,
	ir.Tex:       tex,
	ir.Sample:    sample,
	ir.Image:     image,
	ir.Fetch:     fetch,
	ir.Input:     input,
	ir.Output:    output,
	ir.Probe:     probe,
}

func get(r *runner, o *op) bool {
	d, st, i := &r.slots[o.res[0]], r.st, o.cell
	switch o.kind {
	case ir.Lane32:
		for lane, v := range st.V[i*st.Stride : i*st.Stride+st.Lanes] {
			d[lane&63] = uint64(v)
		}
	case ir.Wave32, ir.Wave1:
		d[0] = uint64(st.S[i])
	case ir.Lane1:
		d[0] = st.M[i]
	case ir.ExecMask:
		d[0] = st.Exec
	}
	return true
}

func set(r *runner, o *op) bool {
	st, i := r.st, o.cell
	switch o.kind {
	case ir.Lane32:
		r.setLanes(st.V[i*st.Stride:i*st.Stride+st.Lanes], &o.args[0], r.mask(o.mask))
	case ir.Wave32, ir.Wave1:
		st.S[i] = uint32(r.vec(&o.args[0])[0])
	case ir.Lane1:
		m := r.mask(o.mask)
		st.M[i] = st.M[i]&^m | r.mask(&o.args[0])&m
	case ir.ExecMask:
		st.Exec = r.mask(&o.args[0])
	}
	return true
}

// setLanes changes the lanes of the mask of a Lane32 cell.
func (r *runner) setLanes(row []uint32, p *place, m uint64) {
	v, k := r.vec(p), p.wide&63
	if m == r.st.Full {
		for lane := range row {
			row[lane] = uint32(v[lane&k])
		}
		return
	}
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		row[lane] = uint32(v[lane&k])
	}
}

func setLast(r *runner, o *op) bool {
	if m := r.mask(o.mask); m != 0 {
		r.st.S[o.cell] = uint32(r.lane(&o.args[0], o.n, bits.Len64(m)-1))
	}
	return true
}

// lane is an operand of n bits in a lane.
func (r *runner) lane(p *place, n, lane int) uint64 {
	if n == 1 {
		return r.mask(p) >> lane & 1
	}
	return r.vec(p)[lane&p.wide]
}

func live(r *runner, o *op) bool {
	r.slots[o.res[0]][0] = r.st.Live
	return true
}

// clock counts the marks of this visit to the block that are not in State.Clock yet, its own included.
func clock(r *runner, o *op) bool {
	r.slots[o.res[0]][0] = r.st.Clock + uint64(o.mark-r.st.At.Mark) + 1
	return true
}

// indexed is the cell of o's file at o.in.Cell.Index + x. If there is none by the file's rule, the
// second result is false; fault says whether that is the guest's fault.
func (r *runner) indexed(o *op, x uint64) (c ir.Cell, ok, fault bool) {
	f := &r.st.Machine.Files[o.in.Cell.File]
	i := int(o.in.Cell.Index) + int(int32(x))
	if i < 0 || i >= f.Count {
		if f.Range != ir.RangeWrap {
			return c, false, f.Range == ir.RangeFault
		}
		if i %= f.Count; i < 0 {
			i += f.Count
		}
	}
	return ir.Cell{File: o.in.Cell.File, Index: uint16(i)}, true, false
}

// getX reads in all lanes, but only those of the mask can be at fault: the other lanes' indices are
// whatever was left in their registers. Whether the index is one a wave does not matter, as rewrites
// may find out that it is.
func getX(r *runner, o *op) bool {
	d, index := &r.slots[o.res[0]], &o.args[0]
	*d = ir.Vec{}
	mayFault := uint64(1) // once a wave
	if o.mask != nil {
		mayFault = r.mask(o.mask)
	}
	bad := uint64(0)
	for lane := range r.st.Lanes {
		x := r.vec(index)[lane&index.wide]
		c, ok, fault := r.indexed(o, x)
		switch {
		case fault && mayFault>>lane&1 != 0:
			bad |= 1 << lane
		case !ok:
		case o.in.Wave:
			d[0] = uint64(r.st.Get(c, 0))
			return true
		case o.n == 1:
			d[0] |= uint64(r.st.Get(c, lane)) << lane
		default:
			d[lane] = uint64(r.st.Get(c, lane))
		}
	}
	return bad == 0 || r.rangeFault(o, index, bad)
}

func setX(r *runner, o *op) bool {
	index, value := &o.args[0], &o.args[1]
	lanes := uint64(1) // once a wave
	if o.mask != nil {
		lanes = r.mask(o.mask)
	}
	bad := uint64(0)
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		if _, _, fault := r.indexed(o, r.vec(index)[lane&index.wide]); fault {
			bad |= 1 << lane
		}
	}
	if bad != 0 {
		return r.rangeFault(o, index, bad)
	}
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		if c, ok, _ := r.indexed(o, r.vec(index)[lane&index.wide]); ok {
			r.st.Set(c, lane, uint32(r.lane(value, o.n, lane)))
		}
	}
	return true
}

// rangeFault is the fault of the lanes whose index is outside of the file.
func (r *runner) rangeFault(o *op, index *place, lanes uint64) bool {
	file := &r.st.Machine.Files[o.in.Cell.File]
	x := int32(r.vec(index)[bits.TrailingZeros64(lanes)&index.wide])
	r.fault = exec.NewFault(exec.FaultRange, r.env, r.p.Code, 0)
	r.fault.Text = fmt.Sprintf("register %s[%d%+d] is outside %s[0] to %s[%d]",
		file.Name, o.in.Cell.Index, x, file.Name, file.Name, file.Count-1)
	if !o.in.Wave {
		r.fault.SetLanes(lanes)
	}
	return false
}
