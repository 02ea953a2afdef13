package costs

import (
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/disasm"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

// oneLine returns the text of an instruction on one line.
func oneLine(t *isa.Target, b *isa.Bundle) string {
	return strings.Join(strings.Fields(string(t.Print(nil, b))), " ")
}

// A Report is the model of code.
type Report struct {
	Says    string         `json:"model"` // what the numbers are
	ISA     string         `json:"isa"`
	Chip    string         `json:"chip"`
	Default bool           `json:"chip_by_default"`
	Waves   int            `json:"waves"` // that share a SIMD
	Figures []chips.Figure `json:"figures"`
	Blocks  []Block        `json:"blocks"`
}

// Says is what the numbers of a report are.
const Says = "modelled from the figures listed, not measured: instructions in order, results through registers, no conflicts, no misses"

// Code models the blocks of code that control reaches, and the innermost loops of several blocks, as if a round went
// through each block once. named returns the name of an address; "": it has none.
func Code(code *disasm.Code, chip *chips.Chip, waves int, named func(addr uint64) string) *Report {
	r := &Report{Says: Says, ISA: code.Target.FullName(), Chip: chip.Name, Default: chip.Default, Waves: waves, Figures: []chips.Figure{}, Blocks: []Block{}}
	for _, p := range code.Pieces {
		g := lint.Flow(code.Flow(p))
		bundles := make([][]isa.Bundle, len(g.Nodes))
		for i := range g.Nodes {
			n := &g.Nodes[i]
			for _, x := range n.Insts {
				var b isa.Bundle
				if code.Target.DecodeBundle(p.Code[x.Addr-p.Base:], x.Addr, &b) == nil {
					bundles[i] = append(bundles[i], b)
				}
			}
			r.add(code, chip, bundles[i], slices.ContainsFunc(n.Edges, func(e lint.Edge) bool { return e.Kind == lint.EdgeJump && e.Node == i }), named)
		}
		for _, body := range loops(g) {
			var all []isa.Bundle
			for _, n := range body {
				all = append(all, bundles[n]...)
			}
			if b := r.add(code, chip, all, true, named); b != nil {
				for _, n := range body {
					b.Of = append(b.Of, g.Nodes[n].Addr())
				}
			}
		}
	}
	r.figures(chip)
	return r
}

// add adds the model of a block; nil: it has no instruction.
func (r *Report) add(code *disasm.Code, chip *chips.Chip, bundles []isa.Bundle, loop bool, named func(addr uint64) string) *Block {
	if len(bundles) == 0 {
		return nil
	}
	b := Of(code.Target, chip, r.Waves, bundles, loop)
	b.Name = named(b.Addr)
	r.Blocks = append(r.Blocks, b)
	return &r.Blocks[len(r.Blocks)-1]
}

// Only keeps the blocks at some addresses, and the figures of their units.
func (r *Report) Only(chip *chips.Chip, keep func(addr uint64) bool) {
	r.Blocks = slices.DeleteFunc(r.Blocks, func(b Block) bool { return !keep(b.Addr) })
	r.figures(chip)
}

// figures lists those of units of the blocks, and of waves.
func (r *Report) figures(chip *chips.Chip) {
	r.Figures = r.Figures[:0]
	used := map[string]bool{"wave": true, "simd": true}
	for i := range r.Blocks {
		for k := range r.Blocks[i].Insts {
			for _, u := range r.Blocks[i].Insts[k].Units {
				used[u] = true
			}
		}
	}
	for _, f := range chip.Figures {
		if unit, _, _ := strings.Cut(f.Name, "."); used[unit] {
			r.Figures = append(r.Figures, f)
		}
	}
}
