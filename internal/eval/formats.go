package eval

import (
	"maps"

	"github.com/heddle-gpu/heddle/internal/meaning"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Each calls f for the instructions of the program one by one, and other, unless it is nil, for bytes between them that
// do not decode.
func (p *Program) Each(f func(b *isa.Bundle), other func(data []byte)) {
	if p.Bundles != nil {
		for i := range p.Bundles {
			f(&p.Bundles[i])
		}
		return
	}
	var b isa.Bundle
	for off := 0; off < len(p.Code); {
		if p.DecodeBundle(p.Code[off:], uint64(off), &b) == nil {
			f(&b)
			off += b.Size()
			continue
		}
		n := min(p.Unit, len(p.Code)-off)
		if other != nil {
			other(p.Code[off : off+n])
		}
		off += n
	}
}

// A study is what the instructions of a program do, one by one.
type study struct {
	blocks  []*ir.Block // one for each instruction
	blockAt map[uint64]*ir.Block
	jumps   bool // an instruction may continue anywhere but after itself
	formats *meaning.Formats
	writes  map[uint64][]ir.Cell // of the instruction at an address
}

// studied returns the study of the program.
func (p *Program) studied() *study {
	p.lookOnce.Do(p.look)
	return &p.study
}

// look finds the format in which the program reads each cell, and the cells that each instruction writes.
func (p *Program) look() {
	s := &p.study
	s.writes, s.blockAt = map[uint64][]ir.Cell{}, map[uint64]*ir.Block{}
	mode := StartMode(p.Target) & p.Machine().ModeMask
	p.Each(func(b *isa.Bundle) {
		blk := p.LiftOne(b, mode)
		s.blocks, s.blockAt[b.Addr()] = append(s.blocks, blk), blk
		s.jumps = s.jumps || jumps(blk)
		for i := range blk.Ops {
			if in := &blk.Ops[i]; in.Op == ir.Set {
				s.writes[b.Addr()] = append(s.writes[b.Addr()], in.Cell)
			}
		}
	}, nil)
	s.formats = s.formatsFrom(p.Machine(), nil)
}

// jumps reports whether a block may continue anywhere but after it.
func jumps(b *ir.Block) bool {
	last := &b.Ops[len(b.Ops)-1]
	return !(last.Op == ir.Jump && last.Imm == b.Next && last.Alt == 0)
}

// formatsFrom returns the formats of what the program reads and writes if regs are assigned.
func (s *study) formatsFrom(m *ir.Machine, regs []Assign) *meaning.Formats {
	fs := meaning.NewFormats()
	if s.formats != nil { // the format of a copy is that of its source
		maps.Copy(fs.Given, s.formats.Reads)
	}
	for i := range regs {
		a := &regs[i]
		for k, c := range a.Reg.Cells {
			if width := a.Reg.Bits / len(a.Reg.Cells); a.Format != nil {
				fs.Given[c] = a.Format.Cut(k*width, width)
			}
		}
	}
	for _, b := range s.blocks {
		fs.Add(m, b)
	}
	return fs
}

// reads returns the format in which the program reads a register.
func (p *Program) reads(r *Register) meaning.Format { return r.format(p.studied().formats.Reads) }

// format returns the format of a register, from those of its cells.
func (r *Register) format(of map[ir.Cell]meaning.Format) meaning.Format {
	if len(r.Cells) == 0 {
		return nil
	}
	var cells []meaning.Format
	for _, c := range r.Cells {
		cells = append(cells, of[c])
	}
	return meaning.Join(cells, r.Bits/len(r.Cells))
}
