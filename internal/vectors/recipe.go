package vectors

import (
	"math"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A recipe makes the words of an operand, in a lane, from random ones, so that most fields are valid for a descriptor.
type recipe func(r *source, words []uint32)

// recipes returns the recipe of an operand by set, layout and name. Operands without one get values as other registers.
func recipes(isa, layout, operand string) recipe {
	switch isa + " " + layout + " " + operand {
	case "gcn MUBUF srsrc", "gcn MTBUF srsrc":
		return gcnBuffer
	case "gcn MIMG srsrc":
		return gcnImage
	case "gcn MIMG ssamp":
		return gcnSampler
	case "gcn MIMG vaddr":
		return gcnTexel
	case "gcn DS m0":
		return gcnLimit
	}
	return nil
}

// recipe sets registers that hold descriptors to plausible ones.
func (t *testRun) recipe(st *exec.State) {
	var spans []ir.Span
	for i := range t.bundle.Parts {
		in := &t.bundle.Parts[i]
		for k := range in.Def.Args {
			a := &in.Def.Args[k]
			spans = t.words.touched.Operand(in, a, spans[:0])
			if len(spans) != 1 {
				continue
			}
			make := recipes(t.setting.Name, in.Def.Enc.Name, a.Name)
			if make == nil {
				continue
			}
			sp := spans[0]
			// The number of registers depends on the image.
			for next := sp.Cell; a.Name == "vaddr" && sp.Count < maxDescriptor; sp.Count++ {
				if next.Index = sp.Cell.Index + sp.Count; !t.plan.reads[next] {
					break
				}
			}
			t.cook(st, make, sp)
		}
		for k := range in.Def.Implicit {
			x := &in.Def.Implicit[k]
			if make := recipes(t.setting.Name, in.Def.Enc.Name, x.Name); make != nil {
				t.cook(st, make, ir.Span{Cell: x.Cell, Count: uint16(x.N)})
			}
		}
	}
}

// cook sets the registers of an operand from a recipe, with different values in each lane.
func (t *testRun) cook(st *exec.State, make recipe, sp ir.Span) {
	for lane := range t.count(sp.Cell) {
		words := make32(t.src, maxDescriptor)
		make(t.src, words)
		for n, w := range words[:min(maxDescriptor, int(sp.Count))] {
			st.Set(ir.Cell{File: sp.Cell.File, Index: sp.Cell.Index + uint16(n)}, lane, w)
		}
	}
}

// maxDescriptor is the largest number of words of a descriptor.
const maxDescriptor = 8

// make32 returns n random words.
func make32(r *source, n int) []uint32 {
	words := make([]uint32, n)
	for i := range words {
		words[i] = uint32(r.next())
	}
	return words
}

// gcnBuffer makes a V#: a base below 4 GiB, a stride equal to a record size or 0, a range, existing formats.
// docs/reference/gcn.md 8.1.
func gcnBuffer(r *source, w []uint32) {
	w[0] = uint32(0x10000 + 16*r.below(0x1000))
	w[1] = uint32(r.below(2)) | pick(r, []uint32{0, 0, 4, 8, 16, 12})<<16
	w[2] = pick(r, []uint32{0xffffffff, 0x10000, 0x4000, 64, 16})
	data := pick(r, []uint32{4, 4, 14, 11, 2, 5, 10, 1, 12, 13})
	number := pick(r, []uint32{7, 4, 5})
	if data != 4 && data != 14 && data != 11 && data != 13 {
		number = pick(r, []uint32{0, 1, 4, 5})
	}
	w[3] = 0xfac | number<<12 | data<<15
	if r.one(4) {
		w[1] |= 1 << 31 // swizzled
		w[3] |= uint32(r.below(4))<<19 | uint32(r.below(4))<<21
	}
}

// gcnImage makes a T# of a linear image of one level: 1D, 2D, 3D, cube or an array. docs/reference/gcn.md 8.4.1.
func gcnImage(r *source, w []uint32) {
	kind := pick(r, []uint32{9, 9, 8, 10, 11, 12, 13})
	data, number := pick(r, []uint32{4, 14, 10}), uint32(7)
	if data == 10 {
		number = pick(r, []uint32{0, 1, 4, 5})
	} else if r.one(3) {
		number = pick(r, []uint32{4, 5})
	}
	width, height, depth := uint32(4+r.below(28)), uint32(4+r.below(12)), uint32(6)
	if kind == 11 {
		height = width
	}
	if kind == 8 || kind == 12 {
		height = 1
	}
	pitch := uint32(64)
	w[0] = uint32(0x100 + r.below(0x100))
	w[1] = data<<20 | number<<26
	w[2] = (width - 1) | (height-1)<<14
	w[3] = 0xfac | 8<<20 | kind<<28
	w[4] = (pitch - 1) << 13
	w[5], w[6], w[7] = 0, 0, 0
	if kind != 11 && kind != 9 && kind != 8 {
		w[4] |= depth - 1
	}
	if kind >= 11 {
		w[5] = (depth - 1) << 13
	}
}

// gcnSampler makes an S# with normalised coordinates, any clamp except those with a border colour from a table, and any
// filter.
func gcnSampler(r *source, w []uint32) {
	clamp := []uint32{0, 1, 2, 3}
	w[0] = pick(r, clamp) | pick(r, clamp)<<3 | pick(r, clamp)<<6 | uint32(r.below(8))<<12
	w[1] = 0xf00 << 12
	w[2] = uint32(r.below(2))<<20 | uint32(r.below(2))<<22 | uint32(r.below(3))<<26
	w[3] = uint32(r.below(3)) << 30
}

// gcnTexel makes a texel coordinate: an integer in half of the lanes, as loads and stores take, else a float near the
// ends of [0, 1].
func gcnTexel(r *source, w []uint32) {
	floats := r.one(2)
	for i := range w {
		if floats {
			w[i] = math.Float32bits(float32(r.below(97)-16) / 64)
		} else {
			w[i] = uint32(r.below(20))
		}
	}
}

// gcnLimit makes the M0 of an access to local memory: mostly no limit. docs/reference/gcn.md 8.3.
func gcnLimit(r *source, w []uint32) {
	w[0] = pick(r, []uint32{0xffffffff, 0xffffffff, 0xffffffff, 0x10000, 0x2000, uint32(r.below(0x2000))})
}
