package gcn

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/launch"
)

// Sample runs the sample wave of a variant: registers and attributes are given, and its exports are not drawn.
func Sample(ctx context.Context, s *Scene, v *Variant, set launch.Settings) ([]Export, *exec.Counters, error) {
	x, _, err := newSetup(s, v, set)
	if err != nil {
		return nil, nil, err
	}
	r := &runner{s: x, meter: exec.NewMeter(ctx, set.Limits)}
	w, err := r.wave(&x.pixel, 1)
	if err != nil {
		return nil, nil, err
	}
	err = r.begin(&x.pixel, w, func(st *exec.State) {
		x.pixel.beginPixels(st, ^uint64(0), v.Sample.Exec)
		for n, row := range v.Sample.VGPRs {
			copy(st.Row(gcn.VGPR(n)), row)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	w.env.Inputs = &inputs{attrs: x.attrs, corners: func(_, attr, component int) (c [3]uint32) {
		p := v.Sample.Params[attr]
		for i := range c {
			c[i] = p[i][component]
		}
		return c
	}}
	out := &recorder{pixelOut: x.pixelOut()}
	w.env.Outputs = out
	if err := r.run(w); err != nil {
		return out.list, &r.count, fmt.Errorf("%s %s: %w", s.Name, v.Name, err)
	}
	return out.list, &r.count, nil
}

// A recorder records exports.
type recorder struct {
	pixelOut
	list []Export
}

// Output implements exec.Outputs.
func (r *recorder) Output(c *exec.IOCall) (refused uint64, err error) {
	if refused, err = r.pixelOut.Output(c); err != nil {
		return refused, err
	}
	e := gcn.Export(c.Slot[bits.TrailingZeros64(c.Lanes)&63])
	x := Export{Target: targetName(e.Target()), Enable: e.Enabled(), Compressed: e.Compressed(), Valid: e.Valid(), Done: e.Done(), Exec: executing(c)}
	for k := range x.Values {
		if e.Enabled()>>k&1 == 0 {
			continue
		}
		x.Values[k] = make([]uint32, lanes)
		for m := x.Exec; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			x.Values[k][lane] = channel(c, e, k, lane)
		}
	}
	r.list = append(r.list, x)
	return 0, nil
}
