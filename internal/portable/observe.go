package portable

import (
	"slices"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Values that rarely change, as those of resource descriptors, decide how much an instruction has to do. The canonical
// form of a block observes them (ir.Stable); the other forms are made for them.

// An observation is what all runners of a program have seen of a value: nothing if it is 0.
type observation struct{ atomic.Uint64 }

// The value is in the lower half.
const (
	observedOne  = 1 << 32
	observedMore = 2 << 32
)

// add adds a value.
func (o *observation) add(x uint32) {
	for {
		old := o.Load()
		now := old | observedOne | uint64(x)
		switch {
		case old&observedMore != 0 || old == observedOne|uint64(x):
			return
		case old != 0:
			now = observedMore
		}
		if o.CompareAndSwap(old, now) {
			return
		}
	}
}

// value returns the value, if it was always the same.
func (o *observation) value() (x uint64, ok bool) {
	v := o.Load()
	return v & 0xffffffff, v&observedOne != 0
}

// An observed is the observations of a block, by the ordinals of its ops Stable.
type observed struct{ seen []observation }

// observes reports whether the canonical form of a block observes values.
func observes(b *ir.Block) bool {
	return slices.ContainsFunc(b.Ops, func(in ir.Inst) bool { return in.Op == ir.Stable })
}

// observedOf returns what a block of a program observes; nil: nothing.
func observedOf(p *exec.Program, at ir.Key, b *ir.Block) (*observed, error) {
	if !observes(b) {
		return nil, nil
	}
	return exec.FormsOf(p, "portable observed", func(p *exec.Program, at ir.Key) (*observed, error) {
		b, err := p.Block(at)
		if err != nil {
			return nil, err
		}
		o := new(observed)
		for i := range b.Ops {
			if b.Ops[i].Op == ir.Stable {
				o.seen = append(o.seen, observation{})
			}
		}
		return o, nil
	}).Get(at)
}

// guess returns the value of an op Stable of a block by its number, as Optimise asks for it.
func (o *observed) guess(b *ir.Block) func(op int) (uint64, bool) {
	if b.Likely != nil {
		b = b.Likely
	}
	var ops []int
	for i := range b.Ops {
		if b.Ops[i].Op == ir.Stable {
			ops = append(ops, i)
		}
	}
	return func(op int) (uint64, bool) {
		i, _ := slices.BinarySearch(ops, op)
		return o.seen[i].value()
	}
}

// observe builds the op that observes the operand of a step.
func (p *binder) observe(s *lower.Step, o *op) {
	if o.run, o.more = observe, (&extra{args: s.Args, observation: &p.observed.seen[s.Imm]}); s.From == ir.I1 {
		o.imm = 1
	} else {
		o.imm = 1<<32 - 1
	}
}

// observe adds the values that the lanes have.
func observe(r *runner, o *op) bool {
	seen := o.more.observation
	switch p := o.more.args[0]; p.Kind {
	case lower.InWord:
		seen.add(uint32(r.words[p.At] & o.imm))
	case lower.InMask:
		m := r.mask(p) & r.full
		if m != 0 {
			seen.add(1)
		}
		if m != r.full {
			seen.add(0)
		}
	case lower.InRow:
		row := r.row(p.At)
		for _, x := range row[:r.st.Lanes] {
			seen.add(x)
		}
	}
	return true
}
