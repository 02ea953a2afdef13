package gcn

import (
	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// What a draw reads of the exports of its stages, for a watcher.

// readsOfVertices returns what is read of an export of a vertex: the position, and components of parameters that the
// pixel shader interpolates.
func (s *setup) readsOfVertices() func(slot uint32, k int) uint32 {
	params := s.parametersRead()
	return func(slot uint32, k int) uint32 {
		e := gcn.Export(slot)
		t := e.Target()
		if e.Executes() && e.Enabled()>>k&1 != 0 && (t == gcn.ExportPos || t >= gcn.ExportParam && params[t-gcn.ExportParam]>>k&1 != 0) {
			return ^uint32(0)
		}
		return 0
	}
}

// parametersRead returns the components of parameters that the pixel shader interpolates, bit k for component k.
func (s *setup) parametersRead() (read [gcn.ExportParams]uint8) {
	var b isa.Bundle
	p, ok := s.pixel.program.Code.(*isa.Program)
	for at := 0; ok && at < len(p.Code); {
		if p.DecodeBundle(p.Code[at:], p.Base+uint64(at), &b) != nil {
			at += p.Unit
			continue
		}
		if a, ok := gcn.Interpolates(&b.Parts[0]); ok && a.Number() < len(s.attrs) && s.attrs[a.Number()].constant < 0 {
			read[s.attrs[a.Number()].param] |= 1 << a.Component()
		}
		at += b.Size()
	}
	return read
}

// readsOfPixels returns what is read of an export of a pixel: channels that the target has and the draw writes, and
// depths if they replace those of the draw.
func (s *setup) readsOfPixels(slot uint32, k int) (bits uint32) {
	e, out := gcn.Export(slot), s.pixelOut()
	t := e.Target()
	switch {
	case !e.Executes():
	case t == gcn.ExportDepth && out.useZ && k == 0 && e.Enabled()&1 != 0:
		return ^uint32(0)
	case t < draw.MaxTargets:
		read := e.Enabled() & colourFormats[out.colours>>(4*t)&15].only & int(s.channels[t])
		if !e.Compressed() {
			return -uint32(read >> k & 1)
		}
		return -uint32(read>>(2*k)&1)&0xffff | -uint32(read>>(2*k+1)&1)<<16
	}
	return 0
}
