package profile

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// A Kind is what an instruction asks of images and of the stages of a draw.
type Kind string

// What instructions ask.
const (
	Sample  Kind = "sample"  // a filtered texel, or several to be mixed, or the level of detail of one
	Texel   Kind = "texel"   // by its coordinates, without a sampler; what the IR describes as loads and stores is an Access
	Element Kind = "element" // of an attribute stream
	Input   Kind = "input"   // of the stage: an attribute or varying
	Output  Kind = "output"  // of the stage: an export
)

// A Resource is what an instruction asked of images and stages, over all its runs. A request is a run with a lane that
// asks, however many components it wants.
type Resource struct {
	Kind     Kind   `json:"kind"`
	Requests uint64 `json:"requests"`
	Lanes    uint64 `json:"lanes"`
}

// kindOf returns what an op asks; "": nothing.
func kindOfOp(in *ir.Inst) Kind {
	switch in.Op {
	case ir.Sample, ir.Tex:
		return Sample
	case ir.Image:
		if in.Img.Do == ir.ImageTexel {
			return Texel
		}
	case ir.Fetch:
		return Element
	case ir.Input:
		return Input
	case ir.Output:
		return Output
	}
	return ""
}

// An ask is the ops by which an instruction asks for one kind.
type ask struct {
	kind  Kind
	place int // the op before which all masks are there
	masks []ir.Val
}

// asksOf returns what the instruction of a mark asks, in the order of its ops.
func asksOf(b *ir.Block, mark int) (list []ask) {
	lo, hi := b.MarkOps(mark)
	var from origins
	for i := lo; i < hi; i++ {
		kind := kindOfOp(&b.Ops[i])
		if kind == "" {
			continue
		}
		if from == nil {
			from = originsOf(b)
		}
		at := slices.IndexFunc(list, func(a ask) bool { return a.kind == kind })
		if at < 0 {
			at, list = len(list), append(list, ask{kind: kind, place: max(i, b.AfterGuards(mark))})
		}
		mask, _ := b.Mask(&b.Ops[i])
		if a := &list[at]; !slices.Contains(a.masks, mask) {
			a.masks, a.place = append(a.masks, mask), max(a.place, int(from[mask])+1)
		}
	}
	return list
}

// ask adds the counters of what an instruction asks: of requests, and behind it of lanes.
func (w *writer) ask(counter int, a *ask) {
	mask := w.Vals[a.masks[0]]
	for _, m := range a.masks[1:] {
		mask = w.Op(ir.Or, ir.I1, mask, w.Vals[m])
	}
	if a.kind == Output { // those of lanes that are not active say only that
		mask = w.Op(ir.And, ir.I1, mask, w.active())
	}
	w.tally(counter, w.Op(ir.ZExt, ir.I64, w.Op(ir.Any, ir.I1, mask, mask)))
	w.tally(counter+1, w.lanes(mask))
}

// An asked is the counters of an ask.
type asked struct {
	kind    Kind
	counter int
}

// addResources adds what was counted of what the instruction asks.
func (in *Inst) addResources(p *Profiler, asks []asked) {
	for _, a := range asks {
		if n := p.sum[a.counter]; n > 0 {
			in.resource(Resource{a.kind, n, p.sum[a.counter+1]})
		}
	}
}

// resource adds to what was counted of one kind.
func (in *Inst) resource(r Resource) {
	at := slices.IndexFunc(in.Resources, func(x Resource) bool { return x.Kind == r.Kind })
	if at < 0 {
		in.Resources = append(in.Resources, r)
		return
	}
	in.Resources[at].Requests += r.Requests
	in.Resources[at].Lanes += r.Lanes
}
