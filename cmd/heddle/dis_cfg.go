package main

import (
	"fmt"
	"path/filepath"

	"github.com/heddle-gpu/heddle/internal/disasm"
	"github.com/heddle-gpu/heddle/internal/flowchart"
	"github.com/heddle-gpu/heddle/lint"
)

// graph prints the control flow graphs of the requested functions.
func (c *disCmd) graph(p *disassembly) error {
	chart := &flowchart.Chart{Title: filepath.Base(c.File)}
	names := map[uint64]string{}
	for _, y := range p.Symbols {
		if names[y.Addr] == "" {
			names[y.Addr] = y.Name
		}
	}
	for _, f := range p.Functions { // in an old code object a kernel's symbol is not at its entry
		if names[f.Entry] == "" {
			names[f.Entry] = f.Name
		}
	}
	named := func(addr uint64) (string, bool) { return names[addr], names[addr] != "" }
	for _, s := range p.Pieces {
		if _, asked := p.within(s); asked {
			g := lint.Flow(p.Flow(s))
			list, err := flowchart.Of(p.Target, g, s.Code, s.Base, p.spans(s, chart.Title), named)
			if err != nil {
				return hinted{fmt.Errorf("%s: %w", c.File, err), "--symbol chooses some"}
			}
			chart.Functions = append(chart.Functions, list...)
		}
	}
	if len(chart.Functions) == 0 {
		return fmt.Errorf("%s: control leads to no instruction of what is asked for", c.File)
	}
	if c.CFG == "dot" {
		return flowchart.Dot(p.a.out, chart)
	}
	if err := flowchart.SVG(p.a.out, chart); err != nil {
		return hinted{fmt.Errorf("%s: %w", c.File, err), "--symbol, --start and --stop choose a part; --cfg dot draws graphs of any size"}
	}
	return nil
}

// spans returns the functions of a piece that are drawn.
func (p *disassembly) spans(s disasm.Piece, title string) (list []flowchart.Span) {
	functions := p.Functions
	if len(p.chosen) > 0 {
		functions = p.chosen
	} else if len(p.parts) > 0 {
		return []flowchart.Span{{Name: title, From: p.parts[0].From, To: p.parts[0].To}}
	}
	if len(functions) == 0 {
		return []flowchart.Span{{Name: title, From: s.Base, To: s.End()}}
	}
	for _, f := range functions {
		if same := len(list) - 1; same >= 0 && list[same].From == f.From { // a second name
			continue
		}
		if f.From >= s.Base && f.From < s.End() {
			list = append(list, flowchart.Span{Name: f.Name, From: f.From, To: f.To})
		}
	}
	return list
}
