package flowchart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/lint"
)

// A program is code with a known graph: lines that start with a label are blocks, and edges are written by hand, as
// FROM KIND TO with labels.
type program struct {
	name, isa string
	text      string
	edges     string
}

var programs = []program{
	{"loop", "gcn:gfx8", `
a: s_mov_b32 s0, 0
b: s_add_u32 s0, s0, 1
s_cmp_lt_u32 s0, 10
s_cbranch_scc1 b
c: s_endpgm`,
		"a falls b, b falls c, b taken b"},
	{"diamond in a loop", "gcn:gfx8", `
a: s_mov_b64 s[4:5], exec
b: s_and_saveexec_b64 s[2:3], vcc
s_cbranch_execz d
c: v_add_f32 v0, v1, v2
s_branch e
d: v_mul_f32 v0, v1, v2
e: s_or_b64 exec, exec, s[2:3]
s_cbranch_vccnz b
f: s_endpgm`,
		"a falls b, b falls c, b taken d, c taken e, d falls e, e falls f, e taken b"},
	{"computed", "gcn:gfx8", `
a: s_cbranch_scc1 c
b: s_setpc_b64 s[2:3]
c: s_swappc_b64 s[30:31], s[4:5]
s_nop 0
s_cbranch_scc0 0x100
d: s_endpgm`,
		// L_414 is 0x100 words of 4 bytes after 0x14.
		"a falls b, a taken c, b indirect indirect, c indirect indirect, c falls d, c taken L_414"},
	{"runs out", "gcn:gfx8", `
a: s_cbranch_scc1 a
b: s_nop 0`,
		"a falls b, a taken a, b falls none"},
	{"divergent", "valhall", `
a: BRANCHZ.eq ^r0, c
b: IADD.s32 r1, r1, r2
BRANCHZ.eq ^r1, a
c: NOP.end`,
		"a falls b, a taken c, b falls c, b taken a"},
}

var short = map[string]lint.EdgeKind{"falls": lint.EdgeFall, "taken": lint.EdgeJump, "call": lint.EdgeCall, "indirect": lint.EdgeIndirect}

// chartOf assembles a program; names are those of its labels.
func chartOf(t *testing.T, p program) *Chart {
	t.Helper()
	tg, err := sets.Lookup(p.isa)
	if err != nil {
		t.Fatal(err)
	}
	a, errs := asm.Assemble(tg, []byte(p.text), asm.Options{})
	if len(errs) > 0 {
		t.Fatalf("%s: %s", p.name, errs[0].Detail())
	}
	labels := map[uint64]string{}
	for _, l := range a.Labels {
		labels[l.Addr] = l.Name
	}
	g := lint.Flow(lint.Code{Target: tg, Bytes: a.Code})
	fs, err := Of(tg, g, a.Code, 0, []Span{{"main", 0, uint64(len(a.Code))}, {"none", 1 << 20, 2 << 20}}, func(addr uint64) (string, bool) { return labels[addr], labels[addr] != "" })
	if err != nil || len(fs) != 1 {
		t.Fatalf("%s: %d functions: %v", p.name, len(fs), err)
	}
	if n := strings.Count(p.text, "\n"); len(textOf(&fs[0])) != n {
		t.Errorf("%s: %d instructions in boxes, %d in the program", p.name, len(textOf(&fs[0])), n)
	}
	return &Chart{p.name + ` "quoted" \ <&>`, fs}
}

func textOf(f *Function) (lines []string) {
	for _, b := range f.Boxes {
		if !b.Aside {
			lines = append(lines, b.Text...)
		}
	}
	return lines
}

// wanted returns the edges of a program, sorted.
func (p *program) wanted() (list []string) {
	for _, e := range strings.Split(p.edges, ", ") {
		f := strings.Fields(e)
		to := map[string]string{"none": "no instruction"}[f[2]]
		if to == "" {
			to = f[2]
		}
		list = append(list, fmt.Sprintf("%s %s %s", f[0], short[f[1]], to))
	}
	slices.Sort(list)
	return list
}

// TestEdges: the graph is the one written by hand.
func TestEdges(t *testing.T) {
	for _, p := range programs {
		f := &chartOf(t, p).Functions[0]
		var got []string
		for _, l := range f.Lines {
			got = append(got, fmt.Sprintf("%s %s %s", f.Boxes[l.From].Head, l.Kind, f.Boxes[l.To].Head))
		}
		if slices.Sort(got); !slices.Equal(got, p.wanted()) {
			t.Errorf("%s: %q, want %q", p.name, got, p.wanted())
		}
	}
}

var (
	dotNode = regexp.MustCompile(`^\t\t(\w+) \[label="((?:[^"\\]|\\.)*)"(?:, \w+=\w+)?\];$`)
	dotEdge = regexp.MustCompile(`^\t(\w+) -> (\w+) \[label="((?:[^"\\]|\\.)*)", color="#[0-9a-f]{6}", style=\w+\];$`)
	dotElse = regexp.MustCompile(`^(digraph "(?:[^"\\]|\\.)*" \{|\t(node|edge) \[.*\];|\tsubgraph "cluster_\d+" \{|\t\tlabel="(?:[^"\\]|\\.)*";|\t?\})$`)
)

// TestDot: each line is a valid statement of Graphviz's language, nodes are declared once, and edges are those of the
// graph.
func TestDot(t *testing.T) {
	for _, p := range programs {
		var b bytes.Buffer
		if err := Dot(&b, chartOf(t, p)); err != nil {
			t.Fatal(err)
		}
		heads, open := map[string]string{}, 0
		var edges [][]string
		for line := range strings.Lines(b.String()) {
			line = strings.TrimSuffix(line, "\n")
			open += strings.Count(line, " {") - strings.Count(strings.TrimSpace(line), "}")*map[bool]int{true: 1}[strings.TrimSpace(line) == "}"]
			if m := dotNode.FindStringSubmatch(line); m != nil {
				if heads[m[1]] != "" {
					t.Errorf("%s: a second %s", p.name, m[1])
				}
				heads[m[1]], _, _ = strings.Cut(m[2], `:\l`)
			} else if m := dotEdge.FindStringSubmatch(line); m != nil {
				edges = append(edges, m[1:])
			} else if !dotElse.MatchString(line) {
				t.Errorf("%s: no statement: %s", p.name, line)
			}
		}
		var got []string
		for _, e := range edges {
			got = append(got, fmt.Sprintf("%s %s %s", heads[e[0]], e[2], heads[e[1]]))
		}
		if slices.Sort(got); !slices.Equal(got, p.wanted()) || open != 0 {
			t.Errorf("%s: %q, want %q; %d braces are open", p.name, got, p.wanted(), open)
		}
	}
}

// TestSVG: the picture is valid XML, has each instruction and each edge, boxes do not overlap, and everything is
// inside.
func TestSVG(t *testing.T) {
	for _, p := range programs {
		c := chartOf(t, p)
		var b bytes.Buffer
		if err := SVG(&b, c); err != nil {
			t.Fatal(err)
		}
		heads := map[string]string{}
		for _, x := range c.Functions[0].Boxes {
			heads[x.ID] = x.Head
		}
		var got, texts []string
		for d := xml.NewDecoder(&b); ; {
			tok, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
			switch x := tok.(type) {
			case xml.StartElement:
				at := map[string]string{}
				for _, a := range x.Attr {
					at[a.Name.Local] = a.Value
				}
				if at["data-from"] != "" {
					got = append(got, fmt.Sprintf("%s %s %s", heads[at["data-from"]], at["data-kind"], heads[at["data-to"]]))
				}
			case xml.CharData:
				texts = append(texts, string(x))
			}
		}
		if slices.Sort(got); !slices.Equal(got, p.wanted()) {
			t.Errorf("%s: %q, want %q", p.name, got, p.wanted())
		}
		for _, line := range textOf(&c.Functions[0]) {
			if !slices.Contains(texts, line) {
				t.Errorf("%s: the picture lacks %q", p.name, line)
			}
		}
	}
}

// TestAny: any bytes of any set can be drawn.
func TestAny(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for _, set := range sets.Sets() {
		tg := set.At(0, 0)
		for range 20 {
			code := make([]byte, r.IntN(400))
			for i := range code {
				if code[i] = byte(r.Uint32()); r.IntN(3) == 0 {
					code[i] = 0
				}
			}
			g := lint.Flow(lint.Code{Target: tg, Bytes: code, Base: 0x100, Guess: true})
			fs, err := Of(tg, g, code, 0x100, []Span{{"any", 0x100, 0x1000}}, func(uint64) (string, bool) { return "", false })
			if err != nil {
				t.Fatal(err)
			}
			c := &Chart{"any", fs}
			var dot, svg bytes.Buffer
			if err := errors.Join(Dot(&dot, c), SVG(&svg, c)); err != nil {
				t.Fatal(err)
			}
			var x struct{}
			if err := xml.Unmarshal(svg.Bytes(), &x); err != nil {
				t.Fatalf("%s %x: %v", tg, code, err)
			}
		}
	}
}

// TestLayout: boxes and bends of a layer do not overlap, edges lead down except for reversed ones, and everything is
// inside.
func TestLayout(t *testing.T) {
	f := Function{Name: "web"}
	for i := range 60 {
		f.Boxes = append(f.Boxes, Box{ID: fmt.Sprint("b", i), Head: fmt.Sprint(i), Text: make([]string, i%7)})
		for _, to := range [...]int{i + 1, i * 7 % 60, (i + 13) % 60} {
			if to < 60 {
				f.Lines = append(f.Lines, Line{i, to, lint.EdgeJump})
			}
		}
	}
	l, err := place(&f)
	if err != nil {
		t.Fatal(err)
	}
	for k, layer := range l.layers {
		for i := 1; i < len(layer); i++ {
			a, b := &l.spots[layer[i-1]], &l.spots[layer[i]]
			if a.x+a.w/2+gapX > b.x-b.w/2+0.01 {
				t.Errorf("layer %d: %d and %d overlap", k, layer[i-1], layer[i])
			}
		}
	}
	for i := range l.spots {
		if s := &l.spots[i]; s.x-s.w/2 < 0 || s.x+s.w/2 > l.wide || l.tops[s.layer]+s.h > l.high {
			t.Errorf("%d is outside", i)
		}
	}
	for _, r := range l.routes {
		for k := 1; k < len(r.turns); k++ {
			if l.spots[r.turns[k]].layer != l.spots[r.turns[k-1]].layer+1 {
				t.Errorf("line %d leaves out a layer", r.line)
			}
		}
	}
	big := Function{Boxes: make([]Box, mostSpots+1)}
	if _, err := place(&big); err == nil {
		t.Error("a picture of any size is drawn")
	}
}

// TestShared: overlapping functions have their own boxes, up to a limit.
func TestShared(t *testing.T) {
	tg, err := sets.Lookup("gcn:gfx8")
	if err != nil {
		t.Fatal(err)
	}
	code := bytes.Repeat([]byte{0xff, 0xff, 0x84, 0xbf}, 500) // s_cbranch_scc0 to itself: one block each
	g := lint.Flow(lint.Code{Target: tg, Bytes: code})
	none := func(uint64) (string, bool) { return "", false }
	for _, n := range []int{1, 3, 500} {
		var spans []Span
		for i := range n {
			spans = append(spans, Span{fmt.Sprint(i), uint64(4 * i), uint64(len(code))})
		}
		fs, err := Of(tg, g, code, 0, spans, none)
		if n == 500 {
			if err == nil {
				t.Errorf("%d functions of %d blocks within each other are drawn", n, len(g.Nodes))
			}
			continue
		}
		if err != nil || len(fs) != n {
			t.Fatalf("%d of %d functions: %v", len(fs), n, err)
		}
		for i := range fs {
			if got := len(textOf(&fs[i])); got != 500-i {
				t.Errorf("function %d has %d instructions, want %d", i, got, 500-i)
			}
		}
	}
}

// TestFlowBeyond: code that extends past the last address has a graph of the part below it.
func TestFlowBeyond(t *testing.T) {
	tg, err := sets.Lookup("gcn:gfx8")
	if err != nil {
		t.Fatal(err)
	}
	nop := []byte{0x00, 0x00, 0x80, 0xbf}
	code := append(append(append([]byte{}, nop...), nop...), nop...)
	g := lint.Flow(lint.Code{Target: tg, Bytes: code, Base: ^uint64(7)})
	if len(g.Nodes) != 1 || len(g.Nodes[0].Insts) != 1 {
		t.Errorf("%+v, want a node of one instruction: the second one reaches to the last address, the third has none", g.Nodes)
	}
}
