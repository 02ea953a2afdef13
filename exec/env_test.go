package exec_test

import (
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// TestSpan: Resolve maps every address of a span to one space, with windows that are adjacent, overlap, are empty,
// wrap around and end with the address space. A span does not end early.
func TestSpan(t *testing.T) {
	const top = ^uint64(0)
	for _, windows := range [][]exec.Window{
		nil,
		{{Base: 0, Size: top, Space: ir.GroupSpace}},
		{{Base: 0x100, Size: 0x100, Space: ir.GroupSpace, Offset: 0x40}},
		{{Base: 0x100, Size: 0x100, Space: ir.GroupSpace}, {Base: 0x200, Size: 0x80, Space: ir.PrivateSpace, Bank: 1}},
		{{Base: 0x180, Size: 0x20, Space: ir.GroupSpace}, {Base: 0x100, Size: 0x100, Space: ir.ConstSpace, Bank: 2}},
		{{Base: 0x100, Size: 0, Space: ir.GroupSpace}, {Base: top - 0xff, Size: 0x100, Space: ir.GroupSpace, Bank: 3}},
		{{Base: top - 0x7f, Size: 0x100, Space: ir.GroupSpace, Offset: 0x1000}},
	} {
		env := &exec.Env{Windows: windows}
		at := func(addr uint64) [3]uint64 {
			id, bank, in := env.Resolve(&ir.Mem{Space: ir.FlatSpace}, addr)
			return [3]uint64{uint64(id), uint64(bank), in}
		}
		edges := []uint64{0, top}
		for _, w := range windows {
			edges = append(edges, w.Base, w.Base+w.Size)
		}
		for _, edge := range edges {
			for d := range uint64(9) {
				addr := edge + 0x20*(d-4) + d&1
				span := env.Span(0, addr)
				if addr != top && addr-span.Base >= span.Size {
					t.Errorf("%+v: %#x is not in its span %+v", windows, addr, span)
				}
				for _, x := range append([]uint64{addr, span.Base, span.Base + span.Size - 1}, edges...) {
					off := x - span.Base
					if want := [3]uint64{uint64(span.Space), uint64(span.Bank), span.Offset + off}; off < span.Size && at(x) != want {
						t.Errorf("%+v: span %+v of %#x, but %#x is at %#x", windows, span, addr, x, at(x))
					}
				}
				if last := span.Base + span.Size - 1; last < top-1 {
					if a, b := at(last), at(last+1); a[0] == b[0] && a[1] == b[1] && a[2]+1 == b[2] && len(windows) == 1 {
						t.Errorf("%+v: span %+v of %#x ends too early", windows, span, addr)
					}
				}
			}
		}
	}
}

// TestIndexOf: the index of a cell is the same in layouts of all widths, and cells of a kind are adjacent.
func TestIndexOf(t *testing.T) {
	m := &ir.Machine{Name: "m", Widths: []int{1, 4, 64}, Files: []ir.File{
		{Name: "v", Kind: ir.Lane32, Count: 3}, {Name: "s", Kind: ir.Wave32, Count: 5}, {Name: "p", Kind: ir.Lane1, Count: 2},
		{Name: "c", Kind: ir.Wave1, Count: 2}, {Name: "w", Kind: ir.Lane32, Count: 2}, {Name: "exec", Kind: ir.ExecMask, Count: 1},
		{Name: "q", Kind: ir.Lane1, Count: 1}, {Name: "t", Kind: ir.Wave32, Count: 1},
	}}
	first := []int{0, 0, 0, 5, 3, 0, 2, 7} // per file
	for _, lanes := range m.Widths {
		l, err := exec.NewLayout(m, lanes)
		if err != nil {
			t.Fatal(err)
		}
		for f := range m.Files {
			for i := range m.Files[f].Count {
				c := ir.Cell{File: uint8(f), Index: uint16(i)}
				if a, b, want := l.Index(c), exec.IndexOf(m, c), first[f]+i; a != want || b != want {
					t.Errorf("%d lanes, %s[%d]: %d and %d, not %d", lanes, m.Files[f].Name, i, a, b, want)
				}
			}
		}
	}
}
