package valhall

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/valhall"
)

// What a scene reads of its stages, for a watcher. sceneStages implements draw.Reader.

// VertexOutputs: they are in the records of vertices.
func (sceneStages) VertexOutputs(read *draw.Components, lanes uint64) (list []exec.OutputRead) {
	for n := range read {
		for k := range 4 {
			for m := lanes; m != 0 && read[n]>>k&1 != 0; m &= m - 1 {
				lane := bits.TrailingZeros64(m)
				list = append(list, exec.OutputRead{Addr: sceneRecords + uint64(lane*recordBytes+16*n+4*k), Bytes: 4, Lanes: 1 << lane})
			}
		}
	}
	return list
}

func (sceneStages) VertexMemory() (addr, bytes uint64) {
	return sceneRecords, recordBytes * valhall.Lanes
}

// FragmentOutputs: colours and depths are those of output ops.
func (sceneStages) FragmentOutputs(uint8, bool) []exec.OutputRead {
	return []exec.OutputRead{{Cell: ir.Cell{File: valhall.FileHelper}, Bits: 1}}
}

func (sceneStages) Wants(slot uint32, k int, channels uint8, depth bool) uint32 {
	return wanted(valhall.PixelOut(slot), depth, func(target int) bool { return target == 0 && channels>>k&1 != 0 })
}

// wanted returns the bits that a draw reads of an output, of a component of a colour if it reads that of the target.
func wanted(slot valhall.PixelOut, depth bool, colour func(target int) bool) uint32 {
	switch {
	case slot&^0xff == valhall.PixelCoverage:
		return 1
	case slot&^0xff == valhall.PixelDepth && depth && slot.Depth(), slot&^0xff == 0 && colour(slot.Target()):
		return ^uint32(0)
	}
	return 0
}

// What a recorded draw reads of its stages.

// watch returns the watch of a stage: records of vertices hold nothing before it runs.
func (x *setup) watch(i int) *draw.Watch {
	s := x.stages[i]
	w := draw.NewWatch(x.watcher, s.env.Kernel, s.program, ir.Key{PC: s.from.binary}, s.env.Windows, []ir.Cell{{File: valhall.FileHelper}}, nil)
	for _, k := range x.writes(i) {
		w.Empty(packetAddress+uint64(k)*maxRecords, maxRecords)
	}
	return w
}

// writes returns the stages whose records a stage writes.
func (x *setup) writes(i int) []int {
	switch {
	case i == stageFragment:
		return nil
	case x.job.outputs != 0:
		return []int{stagePosition, stageVarying}
	}
	return []int{i}
}

// outputs returns what the draw reads at the end of a stage: of a vertex its position, and the words of its record that
// the fragment program reads.
func (r *runner) outputs(i int) (list []exec.OutputRead) {
	if i == stageFragment {
		return []exec.OutputRead{{Cell: ir.Cell{File: valhall.FileHelper}, Bits: 1, Lanes: r.stage.Wave.Covered}}
	}
	for lane := range r.stage.Vertices {
		for _, k := range r.x.writes(i) {
			stride, words := uint64(positionBytes), []int{0, 1, 2, 3}
			if k == stageVarying {
				stride, words = uint64(r.x.job.stride), r.x.wordsRead()
			}
			at := packetAddress + uint64(k)*maxRecords + r.x.record(&r.stage.Vertices[lane])*stride
			for _, word := range words {
				list = append(list, exec.OutputRead{Addr: at + 4*uint64(word), Bytes: 4, Lanes: 1 << lane})
			}
		}
	}
	return list
}

// wordsRead returns the words of records that the fragment program reads: all if it reads them by handle.
func (x *setup) wordsRead() (words []int) {
	if !x.job.passes() {
		return nil
	}
	read, all := varyingsRead(x.stages[stageFragment].from.code)
	for word := range x.job.stride / 4 {
		if all || read[word] {
			words = append(words, word)
		}
	}
	return words
}

func (x *setup) readsOfFragments(slot uint32, k int) uint32 {
	return wanted(valhall.PixelOut(slot), true, func(target int) bool { return target < len(x.targets) && x.targets[target]>>k&1 != 0 })
}
