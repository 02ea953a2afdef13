// Package flowchart draws control flow graphs of functions, as text for Graphviz or as a picture with its own layout.
package flowchart

import (
	"errors"
	"fmt"
	"sort"
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

// A Chart is the control flow graphs of some functions.
type Chart struct {
	Title     string
	Functions []Function
}

// A Function is the control flow graph of one function.
type Function struct {
	Name  string
	Boxes []Box
	Lines []Line
}

// A Box is a basic block, or a target outside the function.
type Box struct {
	ID    string   // an identifier
	Head  string   // its label
	Text  []string // instructions
	Entry bool
	Aside bool // it is no block of the function
}

// A Line is an edge between two boxes.
type Line struct {
	From, To int // indexes in Boxes
	Kind     lint.EdgeKind
}

// A Span is the address range of a function.
type Span struct {
	Name     string
	From, To uint64
}

// A Names returns the name of an address.
type Names func(addr uint64) (name string, ok bool)

// mostShared limits the blocks of overlapping functions, each of which has its own boxes for them.
const mostShared = 20000

// errShared is the error for functions that overlap too much.
var errShared = errors.New("functions lie within each other, too many to draw the blocks of each")

// Of makes charts of a graph. code starts at base. Blocks outside all spans are omitted, and a span without a block
// gives no function.
func Of(t *isa.Target, g *lint.Graph, code []byte, base uint64, spans []Span, names Names) ([]Function, error) {
	p := t.Printer()
	p.Label = func(addr uint64) (string, bool) { return nameOf(addr, names), true }
	var list []Function
	drawn := 0
	for _, s := range spans {
		from, to := nodeAt(g, s.From), nodeAt(g, s.To)
		if drawn += max(to-from, 0); drawn > len(g.Nodes)+mostShared {
			return nil, errShared
		}
		d := &drawer{t: t, g: g, p: p, code: code, base: base, names: names, id: fmt.Sprintf("f%x", s.From), at: map[int]int{}, aside: map[string]int{}}
		for n := from; n < to; n++ {
			d.box(n)
		}
		for n := from; n < to; n++ {
			d.lines(n)
		}
		if d.f.Name = s.Name; len(d.f.Boxes) > 0 {
			list = append(list, d.f)
		}
	}
	return list, nil
}

// nodeAt returns the index of the first node that starts at or after an address.
func nodeAt(g *lint.Graph, addr uint64) int {
	return sort.Search(len(g.Nodes), func(n int) bool { return g.Nodes[n].Addr() >= addr })
}

// nameOf returns the name of an address, a made-up one if it has none.
func nameOf(addr uint64, names Names) string {
	if name, ok := names(addr); ok {
		return name
	}
	return "L_" + strconv.FormatUint(addr, 16)
}

// A drawer makes the chart of one function.
type drawer struct {
	t      *isa.Target
	g      *lint.Graph
	p      isa.Printer
	code   []byte
	base   uint64
	names  Names
	id     string // prefix for IDs in the function
	f      Function
	at     map[int]int    // indexes of boxes, by node
	aside  map[string]int // indexes of boxes, by ID
	bundle isa.Bundle
}

// box adds the box of a node.
func (d *drawer) box(n int) {
	node := &d.g.Nodes[n]
	b := Box{ID: fmt.Sprintf("%s_%x", d.id, node.Addr()), Head: nameOf(node.Addr(), d.names), Entry: node.Entry}
	for _, x := range node.Insts {
		off := x.Addr - d.base
		if d.t.DecodeBundle(d.code[off:], x.Addr, &d.bundle) == nil {
			b.Text = append(b.Text, fmt.Sprintf("%x  %s", x.Addr, d.p.AppendBundle(nil, d.t.Set, &d.bundle)))
		}
	}
	d.at[n] = len(d.f.Boxes)
	d.f.Boxes = append(d.f.Boxes, b)
}

// lines adds the edges out of a node.
func (d *drawer) lines(n int) {
	for _, e := range d.g.Nodes[n].Edges {
		to, ok := d.at[e.Node]
		switch {
		case e.Node >= 0 && ok:
		case e.Kind == lint.EdgeIndirect:
			to = d.other(fmt.Sprintf("%s_indirect", d.id), "indirect", "the address is computed")
		case e.Kind == lint.EdgeFall && e.Node < 0:
			to = d.other(fmt.Sprintf("%s_none", d.id), "no instruction", "control runs into what is none")
		default:
			to = d.other(fmt.Sprintf("%s_to_%x", d.id, e.To), nameOf(e.To, d.names), "elsewhere")
		}
		d.f.Lines = append(d.f.Lines, Line{d.at[n], to, e.Kind})
	}
}

// other returns the index of a box for a target outside the function.
func (d *drawer) other(id, head, text string) int {
	i, ok := d.aside[id]
	if !ok {
		i = len(d.f.Boxes)
		d.aside[id] = i
		d.f.Boxes = append(d.f.Boxes, Box{ID: id, Head: head, Text: []string{text}, Aside: true})
	}
	return i
}
