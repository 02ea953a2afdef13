package lanewise

import (
	"fmt"
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// effects are the functions of the ops that access state or memory, by op.
var effects = [...]func(r *Runner, o *Op) bool{
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
	ir.Tally:     tally,
}

func get(r *Runner, o *Op) bool {
	d, st, i := &r.Slots[o.Res[0]], r.St, o.cell
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

func set(r *Runner, o *Op) bool {
	st, i := r.St, o.cell
	switch o.kind {
	case ir.Lane32:
		r.setLanes(st.V[i*st.Stride:i*st.Stride+st.Lanes], &o.Args[0], r.Mask(o.Mask))
	case ir.Wave32, ir.Wave1:
		st.S[i] = uint32(r.Vec(&o.Args[0])[0])
	case ir.Lane1:
		m := r.Mask(o.Mask)
		st.M[i] = st.M[i]&^m | r.Mask(&o.Args[0])&m
	case ir.ExecMask:
		st.Exec = r.Mask(&o.Args[0])
	}
	return true
}

// setLanes sets the lanes of the mask in a Lane32 cell.
func (r *Runner) setLanes(row []uint32, p *Place, m uint64) {
	v, k := r.Vec(p), p.Wide&63
	if m == r.St.Full {
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

func setLast(r *Runner, o *Op) bool {
	if m := r.Mask(o.Mask); m != 0 {
		r.St.S[o.cell] = uint32(r.lane(&o.Args[0], o.n, bits.Len64(m)-1))
	}
	return true
}

// lane returns an operand of n bits in a lane.
func (r *Runner) lane(p *Place, n, lane int) uint64 {
	if n == 1 {
		return r.Mask(p) >> lane & 1
	}
	return r.Vec(p)[lane&p.Wide]
}

func live(r *Runner, o *Op) bool {
	r.Slots[o.Res[0]][0] = r.St.Live
	return true
}

// clock returns the clock. It includes the marks of this visit to the block that State.Clock does not count yet,
// with the op's own.
func clock(r *Runner, o *Op) bool {
	r.Slots[o.Res[0]][0] = r.St.Clock + uint64(o.Mark-r.St.At.Mark) + 1
	return true
}

// ctlCheck faults if the policy would refuse the step.
func ctlCheck(r *Runner, o *Op) bool {
	err := r.St.Refuses(ir.ControlKind(o.In.Alt), r.Mask(o.Mask))
	if err != nil {
		r.Fault = exec.ControlFault(r.Env, r.Code, err)
	}
	return err == nil
}

// indexed returns the cell of o's file at o.In.Cell.Index + x. ok is false if the file's rule for indices gives no
// cell; fault says whether that is the guest's fault.
func (r *Runner) indexed(o *Op, x uint64) (c ir.Cell, ok, fault bool) {
	f := &r.St.Machine.Files[o.In.Cell.File]
	i := int(o.In.Cell.Index) + int(int32(x))
	if i < 0 || i >= f.Count {
		if f.Range != ir.RangeWrap {
			return c, false, f.Range == ir.RangeFault
		}
		if i %= f.Count; i < 0 {
			i += f.Count
		}
	}
	return ir.Cell{File: o.In.Cell.File, Index: uint16(i)}, true, false
}

// getX reads in all lanes, but only lanes of the mask can fault: the indices of other lanes may have any value. It
// does not matter whether the index is uniform, as rewrites may find that it is.
func getX(r *Runner, o *Op) bool {
	d, index := &r.Slots[o.Res[0]], &o.Args[0]
	*d = ir.Vec{}
	mayFault := uint64(1) // uniform: one lane
	if o.Mask != nil {
		mayFault = r.Mask(o.Mask)
	}
	bad := uint64(0)
	for lane := range r.St.Lanes {
		x := r.Vec(index)[lane&index.Wide]
		c, ok, fault := r.indexed(o, x)
		switch {
		case fault && mayFault>>lane&1 != 0:
			bad |= 1 << lane
		case !ok:
		case o.In.Wave:
			d[0] = uint64(r.St.Get(c, 0))
			return true
		case o.n == 1:
			d[0] |= uint64(r.St.Get(c, lane)) << lane
		default:
			d[lane] = uint64(r.St.Get(c, lane))
		}
	}
	return bad == 0 || r.rangeFault(o, index, bad)
}

func setX(r *Runner, o *Op) bool {
	index, value := &o.Args[0], &o.Args[1]
	lanes := uint64(1) // uniform: one lane
	if o.Mask != nil {
		lanes = r.Mask(o.Mask)
	}
	bad := uint64(0)
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		if _, _, fault := r.indexed(o, r.Vec(index)[lane&index.Wide]); fault {
			bad |= 1 << lane
		}
	}
	if bad != 0 {
		return r.rangeFault(o, index, bad)
	}
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		if c, ok, _ := r.indexed(o, r.Vec(index)[lane&index.Wide]); ok {
			r.St.Set(c, lane, uint32(r.lane(value, o.n, lane)))
		}
	}
	return true
}

// rangeFault is the fault of the lanes whose index is outside of the file.
func (r *Runner) rangeFault(o *Op, index *Place, lanes uint64) bool {
	file := &r.St.Machine.Files[o.In.Cell.File]
	x := int32(r.Vec(index)[bits.TrailingZeros64(lanes)&index.Wide])
	r.Fault = exec.NewFault(exec.FaultRange, r.Env, r.Code, 0)
	if r.Fault.Text = file.Outside; r.Fault.Text == "" {
		r.Fault.Text = fmt.Sprintf("register %s[%d%+d] is outside %s[0] to %s[%d]",
			file.Name, o.In.Cell.Index, x, file.Name, file.Name, file.Count-1)
	}
	if !o.In.Wave {
		r.Fault.SetLanes(lanes)
	}
	return false
}
