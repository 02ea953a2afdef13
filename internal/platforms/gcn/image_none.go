package gcn

import "github.com/heddle-gpu/heddle/mem"

// noImage is the image of a T# of zeros, which drivers set where there is no image: it has no texels. Samples and loads
// return zeros in all components, stores and atomics have no effect. Source: docs/reference/gcn.md 8.4.1.
type noImage struct{}

func (noImage) Sample(q *mem.Quad) {
	for lane := range q.Texel {
		if q.Need>>lane&1 != 0 {
			q.Texel[lane] = [4]uint32{}
		}
	}
	q.Fault = nil
}

func (n noImage) Gather(q *mem.Quad, _ uint8)                           { n.Sample(q) }
func (n noImage) Lods(q *mem.Quad)                                      { n.Sample(q) }
func (noImage) Place([3]uint32, uint32, uint32) (addr uint64, b uint32) { return 0, 0 }
func (noImage) Block([3]uint32, uint32, uint32) (addr uint64, b uint32) { return 0, 0 }
func (noImage) Texel(*mem.Spot) (t [4]uint32, err error)                { return t, nil }
func (noImage) Dims(uint32) (d [4]uint32)                               { return d }
func (noImage) Decode([4]uint32, uint32, uint32) (t [4]uint32)          { return t }
func (noImage) Encode([4]uint32) (raw [4]uint32, err error)             { return raw, nil }
func (noImage) Narrow(t [4]uint32) [4]uint32                            { return t }
func (noImage) Widen(t [4]uint32) [4]uint32                             { return t }
