// Package flowchart draws how control goes through functions: as text for Graphviz, or as a picture that it lays out itself.
package flowchart

import (
	"errors"
	"fmt"
	"sort"
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

// A Chart is the graphs of some functions.
type Chart struct {
	Title     string
	Functions []Function
}

// A Function is the graph of one.
type Function struct {
	Name  string
	Boxes []Box
	Lines []Line
}

// A Box is a basic block, or what control goes to outside of the function.
type Box struct {
	ID    string   // a word
	Head  string   // its label
	Text  []string // instructions
	Entry bool
	Aside bool // no block of the function
}

// A Line leads from one box to another.
type Line struct {
	From, To int // indices in Boxes
	Kind     lint.EdgeKind
}

// A Span is the addresses of a function.
type Span struct {
	Name     string
	From, To uint64
}

// A Names says what an address is called.
type Names func(addr uint64) (name string, ok bool)

// mostShared bounds the blocks of functions that lie within each other: each has its own boxes of them.
const mostShared = 20000

// errShared is the error of functions that share too much.
var errShared = errors.New("functions lie within each other, too many to draw the blocks of each")

// Of makes a chart of a graph. code lies at base; what no span has is left out, and a span without a block is no function.
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

// nodeAt is the first node that does not begin in front of an address.
func nodeAt(g *lint.Graph, addr uint64) int {
	return sort.Search(len(g.Nodes), func(n int) bool { return g.Nodes[n].Addr() >= addr })
}

// nameOf is the name of an address, of ours if it has none.
func nameOf(addr uint64, names Names) string {
	if name, ok := names(addr); ok {
		return name
	}
	return "L_" + strconv.FormatUint(addr, 16)
}

// A drawer makes the graph of one function.
type drawer struct {
	t      *isa.Target
	g      *lint.Graph
	p      isa.Printer
	code   []byte
	base   uint64
	names  Names
	id     string // of the function
	f      Function
	at     map[int]int    // boxes, by node
	aside  map[string]int // boxes, by ID
	bundle isa.Bundle
}

// box adds that of a node.
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

// lines adds those out of a node.
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

// other is a box that is no block of the function.
func (d *drawer) other(id, head, text string) int {
	i, ok := d.aside[id]
	if !ok {
		i = len(d.f.Boxes)
		d.aside[id] = i
		d.f.Boxes = append(d.f.Boxes, Box{ID: id, Head: head, Text: []string{text}, Aside: true})
	}
	return i
}
