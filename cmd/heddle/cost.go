package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/costs"
	"github.com/heddle-gpu/heddle/internal/disasm"
	"github.com/heddle-gpu/heddle/internal/spell"
)

type costCmd struct {
	CodeFile
	Chip    string   `placeholder:"NAME" help:"Chip whose figures to take; by default the first of the instruction set's variant."`
	Waves   int      `range:"1..1000" placeholder:"N" help:"Waves that share a SIMD, a multiprocessor or a core; by default as many as it has room for."`
	Set     []string `sep:"none" placeholder:"NAME=N" help:"Take another number for a figure, as vmem.latency=400; may be given several times."`
	Symbol  []string `sep:"none" placeholder:"NAME" help:"Only this function or kernel of a code object; may be given several times."`
	Figures bool     `help:"Print the figures, how sure they are, and their sources."`
	Chips   bool     `help:"Print the chips that --chip takes."`
	JSON    bool     `help:"Print JSON."`

	File string `arg:"" optional:"" help:"Code object, assembly or bare code; - is standard input."`
}

func (c *costCmd) Help() string {
	return `Models how long each basic block of a file's code takes: clocks of each unit, the time of a wave alone, the longest chain of results
through registers, and what bounds the block when so many waves share a SIMD. Nothing runs and nothing is measured: the numbers follow
from figures of a chip, each with a source, which --figures prints and --set changes. docs/costs.md says what is modelled and what is not.

Examples:
  heddle cost --symbol mandelbrot examples/mandelbrot/mandelbrot.gfx803.hsaco
  heddle cost examples/reduction/reduce_lds.gfx803.hsaco --chip tonga --waves 4
  heddle cost examples/reduction/reduce_lds.gfx803.hsaco --set vmem.latency=600 --figures
  heddle cost --isa gcn:gfx6 --chips
  heddle cost --json examples/mandelbrot/mandelbrot.gfx803.hsaco > cost.json`
}

// mostWaves is the most that --waves takes.
const mostWaves = 1000

// Validate runs before Run.
func (c *costCmd) Validate() error {
	switch {
	case c.Chips && (c.File != "" || c.JSON || c.Figures || c.Chip != "" || c.Waves != 0 || len(c.Set)+len(c.Symbol) > 0):
		return errors.New("--chips is about chips, not about a file")
	case c.Chips:
		return nil
	case c.File == "":
		return errors.New("no file; give a code object, assembly or bare code, or ask for --chips")
	}
	return c.check()
}

func (c *costCmd) Run(a *app) error {
	if c.Chips {
		return c.list(a)
	}
	f, err := c.open(a, c.File, codeUse{hint: "--text models assembly, --raw takes the bytes as they are"})
	if err != nil {
		return err
	}
	chip, err := chips.Named(f.target.FullName(), c.Chip)
	if err != nil {
		return err
	}
	for _, s := range c.Set {
		if err := chip.Set(s); err != nil {
			return fmt.Errorf("--set %w", err)
		}
	}
	waves := c.Waves
	if waves == 0 {
		waves = max(1, int(math.Floor(chip.Value("simd.waves"))))
	}
	if waves > mostWaves {
		return fmt.Errorf("--set simd.waves=%d: want at most %d, as --waves takes", waves, mostWaves)
	}
	code := f.code()
	r := costs.Code(code, chip, waves, code.Name)
	if err := c.only(r, chip, code); err != nil {
		return err
	}
	if len(r.Blocks) == 0 {
		return wrong{fmt.Errorf("%s: control leads to no instruction", c.File)}
	}
	if c.JSON {
		return a.json(r)
	}
	c.print(a, r)
	return nil
}

// code returns the contents as code.
func (c *code) code() *disasm.Code {
	switch {
	case c.object != nil:
		return disasm.Of(c.target, c.object)
	case c.text != nil:
		return &disasm.Code{Target: c.target, Pieces: []disasm.Piece{{Code: c.text.Code, Base: c.text.Base}}, Symbols: c.text.Labels}
	}
	return &disasm.Code{Target: c.target, Pieces: []disasm.Piece{{Code: c.data}}}
}

// only keeps the blocks of the functions asked for.
func (c *costCmd) only(r *costs.Report, chip *chips.Chip, code *disasm.Code) error {
	var chosen []disasm.Function
	for _, name := range c.Symbol {
		found := false
		for _, f := range code.Functions {
			if f.Name == name {
				found, chosen = true, append(chosen, f)
			}
		}
		if !found {
			var names []string
			for _, f := range code.Functions {
				names = append(names, f.Name)
			}
			err := fmt.Errorf("--symbol %s: %s has no such function", name, c.File)
			if near := spell.Nearest(name, names); near != "" {
				return hinted{err, near + " is the nearest name"}
			}
			return err
		}
	}
	if len(chosen) > 0 {
		r.Only(chip, func(addr uint64) bool {
			return slices.ContainsFunc(chosen, func(f disasm.Function) bool { return addr >= f.From && addr < f.To })
		})
	}
	return nil
}

// list prints chips, of a set or of all.
func (c *costCmd) list(a *app) error {
	name := ""
	if c.ISA != "" {
		t, err := find(c.ISA, "", "")
		if err != nil {
			return err
		}
		name = t.FullName()
	}
	rows := [][]string{{"ISA", "CHIP", "ALSO CALLED", ""}}
	for _, x := range chips.Chips(name) {
		rows = append(rows, []string{x.ISA, x.Name, strings.Join(x.Also, " "), map[bool]string{true: "default"}[x.Default]})
	}
	a.printf("%s", tableOf(rows))
	return nil
}

// print prints the model of each block, and the figures.
func (c *costCmd) print(a *app, r *costs.Report) {
	chosen := ""
	if r.Default {
		chosen = ", the default"
	}
	a.say("%s on %s%s, with %s a SIMD, in clocks\n%s\n", r.ISA, r.Chip, chosen, spell.Count(r.Waves, "wave"), r.Says)
	for i := range r.Blocks {
		printBlock(a, &r.Blocks[i])
	}
	if !c.Figures {
		a.say("\nfigures: %s; --figures prints them with their sources\n", sureness(r.Figures))
		return
	}
	rows := [][]string{{"FIGURE", "VALUE", "CONFIDENCE", "SOURCE"}}
	for _, f := range r.Figures {
		rows = append(rows, []string{f.Name, fmt.Sprintf("%g", f.Value), f.Sure, f.Source})
	}
	printTable(a, rows)
}

// sureness counts figures by how sure they are.
func sureness(figures []chips.Figure) string {
	var list []string
	for _, sure := range []string{chips.Documented, chips.Measured, chips.Compiler, chips.Derived, chips.Assumed, chips.Given} {
		n := 0
		for _, f := range figures {
			if f.Sure == sure {
				n++
			}
		}
		if n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, sure))
		}
	}
	return strings.Join(list, ", ")
}

// printBlock prints the model of a block: a * is before instructions in the longest chain of results.
func printBlock(a *app, b *costs.Block) {
	what, chain := "block", "critical path"
	if b.Loop {
		what, chain = "loop", "chain through rounds"
	}
	at := fmt.Sprintf("%#x", b.Addr)
	if b.Name != "" {
		at += " " + b.Name
	}
	if n := len(b.Of); n > 0 {
		at += fmt.Sprintf(" of %d blocks to %#x, if a round goes through each", n, b.Of[n-1])
	}
	a.say("\n%s %s: ", what, at)
	if b.Bound != "" {
		a.say("%s a wave, bound by %s", clocks(b.Clocks), b.Bound)
	} else {
		a.say("nothing that has a figure")
	}
	if b.Alone != nil {
		a.say("; a wave alone %s, %s %s", clocks(*b.Alone), chain, clocks(*b.Path))
	}
	a.say("\n")
	var units []string
	for _, u := range b.Units {
		units = append(units, u.Name+" "+clocks(u.Clocks))
	}
	if len(units) > 0 {
		a.say("units: %s\n", strings.Join(units, ", "))
	}
	if b.Lacks > 0 {
		a.say("without a figure: %s\n", spell.Count(b.Lacks, "instruction"))
	}
	if len(b.Of) > 0 { // they are listed block by block
		return
	}
	rows := [][]string{{"AT", "ISSUE", "LATENCY", "UNIT", "", "INSTRUCTION", ""}}
	for i := range b.Insts {
		in := &b.Insts[i]
		latency, on := "-", ""
		if in.Latency != nil {
			latency = clocks(*in.Latency)
		}
		if in.Critical {
			on = "*"
		}
		issue, note := clocks(in.Issue), in.Lack
		if in.To != nil {
			note = strings.TrimPrefix(fmt.Sprintf("%s; to %#x", note, *in.To), "; ")
		}
		if in.Lack != "" {
			issue = "?"
		}
		rows = append(rows, []string{clocks(in.At), issue, latency, strings.Join(slices.Compact(in.Units), "+"), on, in.Text, note})
	}
	printTable(a, rows)
}

// clocks formats clocks, to two decimals.
func clocks(n float64) string { return strconv.FormatFloat(math.Round(100*n)/100, 'f', -1, 64) }
