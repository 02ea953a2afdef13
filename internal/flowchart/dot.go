package flowchart

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/heddle-gpu/heddle/lint"
)

// pens are the styles of edges by kind, in the order of the legend.
var pens = [...]struct{ color, style string }{
	lint.EdgeFall:     {"#57606a", "solid"},
	lint.EdgeJump:     {"#1a7f37", "solid"},
	lint.EdgeCall:     {"#8250df", "dashed"},
	lint.EdgeLater:    {"#9a6700", "dotted"},
	lint.EdgeIndirect: {"#cf222e", "dashed"},
}

// Dot writes the chart in the DOT language of Graphviz.
func Dot(w io.Writer, c *Chart) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "digraph %s {\n\tnode [shape=box, fontname=\"monospace\", fontsize=10];\n\tedge [fontname=\"sans-serif\", fontsize=9];\n", quoted(c.Title))
	for i := range c.Functions {
		f := &c.Functions[i]
		fmt.Fprintf(b, "\tsubgraph %s {\n\t\tlabel=%s;\n", quoted(fmt.Sprintf("cluster_%d", i)), quoted(f.Name))
		for k := range f.Boxes {
			x := &f.Boxes[k]
			style := ""
			switch {
			case x.Aside:
				style = ", style=dashed"
			case x.Entry:
				style = ", penwidth=2"
			}
			fmt.Fprintf(b, "\t\t%s [label=\"%s:\\l", x.ID, escape(x.Head))
			for _, line := range textLines(x) {
				b.WriteString(escape(line) + `\l`)
			}
			fmt.Fprintf(b, "\"%s];\n", style)
		}
		b.WriteString("\t}\n")
		for _, l := range f.Lines {
			p := &pens[l.Kind]
			fmt.Fprintf(b, "\t%s -> %s [label=%s, color=%s, style=%s];\n", f.Boxes[l.From].ID, f.Boxes[l.To].ID, quoted(l.Kind.String()), quoted(p.color), p.style)
		}
	}
	b.WriteString("}\n")
	return b.Flush()
}

func quoted(s string) string { return `"` + escape(s) + `"` }

// escape escapes a text for double quotes; characters that do not print are omitted.
func escape(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, strings.NewReplacer("&", "&amp;", `\`, `\\`, `"`, `\"`, "\n", " ").Replace(s))
}
