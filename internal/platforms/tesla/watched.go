package tesla

import (
	"slices"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/tesla"
)

// What a recorded draw reads of its stages, for a watcher.

// reads sets what the draw reads of the registers of its stages: of a vertex the position and the words of o[] that the
// fragment program reads, of a fragment the channels that the draw writes to the canvas, and whether it is discarded.
func (x *setup) reads(call *draw.Call, c *draw.Canvas) {
	put := func(stage int, file, n int) {
		x.read[stage] = append(x.read[stage], exec.OutputRead{Cell: ir.Cell{File: uint8(file), Index: uint16(n)}, Bits: ^uint32(0)})
	}
	for _, n := range x.s.Varyings.Position {
		put(vertexStage, tesla.FileO, n)
	}
	if p, ok := x.stages[fragmentStage].program.Code.(*isa.Program); ok {
		for word := range wordsRead(p.Code) {
			if v, ok := x.varyings[uint32(word)]; ok && v.Source == "" {
				put(vertexStage, tesla.FileO, v.Out)
			}
		}
	}
	put(fragmentStage, tesla.FileKill, 0)
	for i := range x.s.Targets {
		t := &x.s.Targets[i]
		for k, n := range t.Registers {
			if call.Reads(c, t.Index)>>k&1 != 0 {
				put(fragmentStage, tesla.FileR, n)
			}
		}
	}
}

// outputs returns what the draw reads of the wave that has ended.
func (r *runner) outputs(stage, lanes int, killed uint64) []exec.OutputRead {
	list := slices.Clone(r.x.read[stage])
	for i := range list {
		list[i].Lanes = ^uint64(0) >> (64 - lanes)
		if r.stage.Wave != nil {
			if list[i].Lanes &= r.stage.Wave.Covered; list[i].Cell.File != tesla.FileKill {
				list[i].Lanes &^= killed
			}
		}
	}
	return list
}
