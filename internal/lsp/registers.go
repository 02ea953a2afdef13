package lsp

import (
	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

type cell = ir.Cell

// A register is a register of a statement.
type register struct {
	asm.Extent
	cells []cell
}

// registers finds the registers and the mnemonics in texts of a target. It caches the results by word.
type registers struct {
	t     *isa.Target
	words map[string][]cell
	heads map[string]int // how much of a word is a mnemonic
}

func newRegisters(t *isa.Target) *registers {
	return &registers{t, map[string][]cell{}, map[string]int{}}
}

// cells returns those of a register; nil: the text is none.
func (r *registers) cells(text []byte) []cell {
	cells, ok := r.words[string(text)]
	if !ok {
		cells, _ = r.t.RegisterCells(string(text))
		r.words[string(text)] = cells
	}
	return cells
}

// head returns the mnemonic of a statement: the first word that is one.
func (r *registers) head(text []byte, p *asm.Piece) asm.Extent {
	for from := p.From; from < p.To; {
		e, ok := wordFrom(text[:p.To], from)
		if !ok {
			break
		}
		n, known := r.heads[string(text[e.From:e.To])]
		if !known {
			_, at := mnemonicIn(r.t, text, &asm.Piece{Extent: e})
			n = at.To - at.From
			r.heads[string(text[e.From:e.To])] = n
		}
		if n > 0 {
			return asm.Extent{From: e.From, To: e.From + n}
		}
		from = e.To
	}
	return asm.Extent{From: p.From, To: p.From}
}

// each calls f with the registers of a statement: words, with a sign before and numbers in brackets after them if
// these are part of the register.
func (r *registers) each(text []byte, p *asm.Piece, f func(register)) {
	for from := p.From; from < p.To; {
		e, ok := wordFrom(text[:p.To], from)
		if !ok {
			return
		}
		from = e.To
		if e.From == p.From && p.Name > 0 {
			continue // the mnemonic
		}
		best := register{}
		for _, x := range [...]asm.Extent{e, {From: e.From - 1, To: e.To}} {
			if x.From < p.From || x.From < e.From && text[x.From] != '@' && text[x.From] != '%' {
				continue
			}
			for _, to := range [...]int{bracketEnd(text[:p.To], x.To), x.To} {
				if cells := r.cells(text[x.From:to]); len(cells) > 0 {
					best = register{asm.Extent{From: x.From, To: to}, cells}
					break
				}
			}
		}
		if best.cells == nil {
			best = r.headed(text, e)
		}
		if best.cells != nil {
			f(best)
			from = max(from, best.To)
		}
	}
}

// headed returns a register with a suffix after a dot: r3.w0.
func (r *registers) headed(text []byte, e asm.Extent) register {
	for i := e.From + 1; i < e.To; i++ {
		if text[i] == '.' {
			if cells := r.cells(text[e.From:i]); len(cells) > 0 {
				return register{asm.Extent{From: e.From, To: i}, cells}
			}
			break
		}
	}
	return register{}
}

// bracketEnd returns the end of the bracket that follows a word, or the end of the word.
func bracketEnd(text []byte, at int) int {
	if at < len(text) && text[at] == '[' {
		for i := at + 1; i < len(text) && i < at+24; i++ {
			switch text[i] {
			case ']':
				return i + 1
			case '[', '\n':
				return at
			}
		}
	}
	return at
}

// at returns the register of a statement at an offset.
func (r *registers) at(text []byte, p *asm.Piece, off int) (at register, ok bool) {
	r.each(text, p, func(x register) {
		if x.From <= off && off <= x.To && !ok {
			at, ok = x, true
		}
	})
	return at, ok
}
