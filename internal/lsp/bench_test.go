package lsp

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// bigDocument returns a hundred thousand lines with a label on each fifth.
func bigDocument() *snapshot {
	var b strings.Builder
	b.WriteString(".isa gcn:gfx8\n")
	for i := range 20000 {
		fmt.Fprintf(&b, "\tv_mad_f32 v%d, v2, s3, 1.0\n\ts_load_dwordx2 s[4:5], s[6:7], %#x\n\tv_add_f32 v%d, v1, v2\nL%d:\ts_nop 1\n\ts_cbranch_scc1 L%d\n", i%250, i%2000, i%200, i, i)
	}
	return documentOf(b.String())
}

func documentOf(s string) *snapshot {
	d := &snapshot{text: newText(s, utf16Encoding), uri: "file:///a.s", client: &client{related: true, hierarchy: true}}
	return d.begin(context.Background())
}

// BenchmarkBig measures the cost of an edit of a large file before anything of it is shown.
func BenchmarkBig(b *testing.B) {
	d := bigDocument()
	d.target()
	for _, bb := range []struct {
		name string
		do   func(d *snapshot)
	}{
		{"text", func(d *snapshot) { d.text.apply(&contentChange{&textRange{position{50, 0}, position{50, 0}}, " "}) }},
		{"outline", func(d *snapshot) { d.outline() }},
		{"names", func(d *snapshot) { d.names() }},
		{"build", func(d *snapshot) { d.built() }},
		{"places", func(d *snapshot) { d.placed() }},
		{"lint", func(d *snapshot) { d.found() }},
		{"tokens", func(d *snapshot) { d.tokensFull(docParams{}) }},
		{"symbols", func(d *snapshot) { d.symbols(docParams{}) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				n := d.with(d.s)
				n.target()
				if bb.name != "outline" {
					n.outline()
				}
				if bb.name == "lint" || bb.name == "places" {
					n.built()
				}
				if bb.name == "symbols" || bb.name == "tokens" {
					n.names()
				}
				b.StartTimer()
				bb.do(n)
			}
		})
	}
}
