package site

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// most limits the size of the site of all sets, without the files of the live part: it has 9.8 MB. With the engine,
// whose size package live limits, and 60 KB of other scripts and styles the site stays under 15 MB.
const most = 9_900_000

// whole is the site of all sets. Garbage collection would take a third of the time to make it.
var whole = sync.OnceValues(func() (map[string][]byte, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(500))
	var list []*isa.Set
	for _, e := range sets.Entries() {
		list = append(list, e.Set())
	}
	return written(Options{Sets: list, Live: []File{{"live.js", []byte("//")}}})
})

// written returns the files that Write makes.
func written(o Options) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := Write(func(name string, data []byte) error {
		if _, is := files[name]; is {
			return fmt.Errorf("%s is written twice", name)
		}
		files[name] = data
		return nil
	}, o)
	return files, err
}

func site5(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := whole()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// one returns the site of one set.
func one(t *testing.T, name string, live ...File) map[string][]byte {
	t.Helper()
	target, err := sets.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	files, err := written(Options{Sets: []*isa.Set{target.Set}, Live: live, Play: []byte("<h1>Play</h1>")})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestSize(t *testing.T) {
	n, largest := 0, 0
	for name, data := range site5(t) {
		n += len(data)
		if strings.HasSuffix(name, ".html") {
			largest = max(largest, len(data))
		}
	}
	if n > most {
		t.Errorf("%d bytes, at most %d", n, most)
	}
	if largest > 400_000 {
		t.Errorf("a page of %d bytes: it is to be there at once", largest)
	}
	t.Logf("%d files, %d bytes, the largest page has %d", len(site5(t)), n, largest)
}

// optional are elements whose end tag HTML allows to omit.
var optional = strings.Fields("p li td th tr tbody thead dt dd option html body head colgroup")

// void are elements without an end tag.
var void = strings.Fields("meta link input img br")

// TestWellFormed: in every page each end tag matches an open element.
func TestWellFormed(t *testing.T) {
	for name, data := range site5(t) {
		if strings.HasSuffix(name, ".html") {
			if err := wellFormed(data); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, bad := range []string{"<p><b>x</p></b>", "<div>", "</div>"} {
		if wellFormed([]byte(bad)) == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

func wellFormed(data []byte) error {
	z := html.NewTokenizer(bytes.NewReader(data))
	var open []string
	for {
		switch z.Next() {
		case html.ErrorToken:
			for _, e := range open {
				if !slices.Contains(optional, e) {
					return fmt.Errorf("%s is open at the end", e)
				}
			}
			return nil
		case html.StartTagToken:
			tok := z.Token()
			if !slices.Contains(void, tok.Data) {
				open = append(open, tok.Data)
			}
		case html.EndTagToken:
			tok := z.Token()
			for len(open) > 0 && open[len(open)-1] != tok.Data && slices.Contains(optional, open[len(open)-1]) {
				open = open[:len(open)-1]
			}
			if len(open) == 0 || open[len(open)-1] != tok.Data {
				return fmt.Errorf("</%s> ends nothing; open are %v", tok.Data, open)
			}
			open = open[:len(open)-1]
		}
	}
}

// A link is the target of an attribute of an element.
type link struct{ element, attr, to string }

// linksAndIDs returns the links of a page, and its anchors.
func linksAndIDs(t *testing.T, name string, data []byte) (links []link, ids map[string]bool) {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(name, err)
	}
	ids = map[string]bool{}
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			switch a.Key {
			case "id":
				if ids[a.Val] {
					t.Errorf("%s: two places are called %s", name, a.Val)
				}
				ids[a.Val] = true
			case "href", "src", "action", "poster", "data", "srcset":
				links = append(links, link{n.Data, a.Key, a.Val})
			}
		}
	}
	return links, ids
}

// TestLinks: the targets of links exist, anchors included, and nothing is loaded from elsewhere.
func TestLinks(t *testing.T) {
	checkLinks(t, site5(t))
	// A set alone has no links to the others.
	checkLinks(t, one(t, "attila", File{"live.js", []byte("//")}, File{"live.css", []byte("/**/")}))
}

func checkLinks(t *testing.T, files map[string][]byte) {
	t.Helper()
	ids, all := map[string]map[string]bool{}, map[string][]link{}
	for name, data := range files {
		if strings.HasSuffix(name, ".html") {
			all[name], ids[name] = linksAndIDs(t, name, data)
		}
	}
	n := 0
	for name, list := range all {
		for _, l := range list {
			if strings.Contains(l.to, ":") || strings.HasPrefix(l.to, "//") {
				if l.element != "a" || !strings.HasPrefix(l.to, "https://") && !strings.HasPrefix(l.to, "http://") {
					t.Errorf("%s: <%s %s=%s> leaves the site", name, l.element, l.attr, l.to)
				}
				continue
			}
			file, anchor, _ := strings.Cut(l.to, "#")
			to := name
			if file != "" {
				to = path.Join(path.Dir(name), file)
			}
			n++
			if _, is := files[to]; !is {
				t.Errorf("%s: %s: there is no %s", name, l.to, to)
			} else if anchor != "" && !strings.HasPrefix(anchor, "k=") && !ids[to][anchor] {
				t.Errorf("%s: %s: no such place", name, l.to)
			}
		}
	}
	if n < 1000 {
		t.Errorf("%d links", n)
	}
	for name, data := range files {
		if strings.HasSuffix(name, ".css") || strings.HasSuffix(name, ".js") && name != "search.js" || strings.HasSuffix(name, ".svg") {
			text := strings.ReplaceAll(string(data), "http://www.w3.org/2000/svg", "")
			for _, word := range []string{"http:", "https:", "//cdn", "@import", "fetch(", "XMLHttpRequest"} {
				if strings.Contains(text, word) {
					t.Errorf("%s: has %s", name, word)
				}
			}
		}
	}
}

// textOf returns the visible text of a page, without markup.
func textOf(t *testing.T, data []byte) string {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range doc.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data + " ")
		}
	}
	return b.String()
}

// TestInstructions: every row of every variant has its page, which names its encoding, opcode, variants, operands and
// bytes.
func TestInstructions(t *testing.T) {
	files := site5(t)
	for _, e := range sets.Entries() {
		s := e.Set()
		names, index := map[string]string{}, linksOf(t, s.Name+"/index.html", files)
		if head := fmt.Sprintf("<h2>%d instructions</h2>", len(manual.InstructionNames(s.Arch, manual.AllVariants))); !strings.Contains(string(files[s.Name+"/index.html"]), head) {
			t.Errorf("%s: the index does not say %s", s.Name, head)
		}
		for to, text := range index {
			names[text] = to
		}
		texts := map[string]string{}
		for i := range s.Defs {
			d := &s.Defs[i]
			file, ok := names[manual.PlainName(d)]
			if !ok {
				t.Errorf("%s: no page of %s", s.Name, d.Name)
				continue
			}
			if texts[file] == "" {
				texts[file] = textOf(t, files[path.Join(s.Name, file)])
			}
			want := []string{manual.PlainName(d)}
			if !d.Private && !d.Alias {
				want = append(want, d.Enc.Name, fmt.Sprintf("%#x", d.Op))
			}
			for v := range s.Variants {
				if d.InVariant(v) {
					want = append(want, s.Variants[v].Name)
				}
			}
			for k := range d.Args {
				want = append(want, d.Args[k].Name)
			}
			for _, w := range want {
				if !strings.Contains(texts[file], w) {
					t.Errorf("%s/%s: says nothing of %q (%s, %s)", s.Name, file, w, d.Name, d.Enc.Name)
				}
			}
		}
		if len(texts) < 40 {
			t.Errorf("%s: %d pages", s.Name, len(texts))
		}
	}
}

// TestOtherTexts: a name that exists only as another text of an instruction leads to the page of that instruction,
// which has the semantics.
func TestOtherTexts(t *testing.T) {
	files := one(t, "rogue")
	for name, to := range map[string]string{"smp2d": "smp.2d.html", "itrsmp1d": "itrsmp.1d.html", "alphatst": "atst.html", "shift.lsl": "lsl.html"} {
		page := string(files["rogue/"+name+".html"])
		if !strings.Contains(page, "Another text of <a href="+to+">") || strings.Contains(page, "Meaning") {
			t.Errorf("%s: no link to %s, or a meaning of its own", name, to)
		}
		if !strings.Contains(string(files["rogue/"+to]), "Meaning") {
			t.Errorf("%s has no meaning", to)
		}
	}
}

// linksOf returns the links of a page, and their text.
func linksOf(t *testing.T, name string, files map[string][]byte) map[string]string {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(files[name]))
	if err != nil || files[name] == nil {
		t.Fatal(name, err)
	}
	links := map[string]string{}
	for n := range doc.Descendants() {
		if n.Data == "a" && n.FirstChild != nil && n.FirstChild.Type == html.TextNode {
			links[n.Attr[0].Val] = n.FirstChild.Data
		}
	}
	return links
}

// TestExamples: examples are right: sums of floats and integers as Go computes them, and words from memory.
func TestExamples(t *testing.T) {
	files := site5(t)
	sum := func(a, b float32) string { // each addition is rounded once
		return fmt.Sprintf("%v <i>%08x</i>", a+b, math.Float32bits(a+b)) // for Inf Go prints +Inf, too
	}
	for _, c := range []struct{ page, want string }{
		{"gcn/v_add_f32.html", sum(1.5, 2.25)},
		{"gcn/v_add_f32.html", sum(0.1, -0.5)},
		{"valhall/fadd.f32.html", sum(1.5, 2.25)},
		{"tesla/add.html", sum(0.1, -0.5)},
		{"rogue/fadd.html", sum(1.5, 2.25)},
		{"attila/add.html", sum(1.5, 2.25)},
		{"gcn/v_mul_f32.html", fmt.Sprintf("%v <i>%08x</i>", float32(1.5)*2.25, math.Float32bits(float32(1.5)*2.25))},
		{"gcn/s_mul_i32.html", fmt.Sprintf("-6 <i>%08x</i>", uint32(1<<32-6))}, // -3 * 2
		{"gcn/v_alignbit_b32.html", fmt.Sprintf("%08x", uint32((7<<32|5)>>3&0xffffffff))},
		{"gcn/buffer_load_dword.html", "0x13121110"}, // memory at 0x1000 holds 10, 11, 12 and so on
		{"gcn/v_add_f32.html", "000116c2"},           // 1e-40 is a denormal float
	} {
		if !strings.Contains(string(files[c.page]), c.want) {
			t.Errorf("%s: no %s", c.page, c.want)
		}
	}
	n, faults, none := 0, 0, 0
	for name, data := range files {
		if path.Dir(name) == "ir" || strings.Count(name, "/") != 1 || !bytes.Contains(data, []byte("<h3>Meaning</h3>")) {
			continue
		}
		switch n++; {
		case bytes.Contains(data, []byte("by itself")) && bytes.Contains(data, []byte(" faults: ")):
			faults++
		case !bytes.Contains(data, []byte("<h3>Example</h3>")):
			none++
		}
	}
	t.Logf("of %d instructions %d fault by themselves, %d have no example", n, faults, none)
	if faults+none > n/8 {
		t.Errorf("of %d instructions %d fault by themselves, %d have no example", n, faults, none)
	}
}

// TestLive: pages load the live part if there is one, and have its inputs.
func TestLive(t *testing.T) {
	files := one(t, "attila", File{"live.js", []byte("// live")}, File{"live.css", []byte("/* live */")}, File{"heddle.wasm.js", []byte("//")})
	page := string(files["attila/mad.html"])
	for _, want := range []string{`<section class=live data-isa="attila:attila" data-state="i0=`, "<caption>mad o0, i0, i1, i2</caption>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page[:1500])
		}
	}
	script, style := string(files["site.js"]), string(files["site.css"])
	if !strings.HasPrefix(script, "const heddleHas = {live: true, play: true};") || !strings.HasSuffix(style, "/* live */") || files["live.css"] != nil {
		t.Errorf("site.js and site.css know nothing of the live part:\n%.100s\n%s", script, style)
	}
	if string(files["live.js"]) != "// live" || !strings.Contains(string(files["play.html"]), "<main><h1>Play</h1></main>") || files["heddle.wasm.js"] == nil {
		t.Error("files of the live part are not there")
	}
	if strings.Contains(string(one(t, "attila")["attila/mad.html"]), "live") {
		t.Error("a page without the live part speaks of it")
	}
}

// TestBothWays: an instruction links to its encodings, kinds, ops and options, and they link back, except in lists of
// hundreds.
func TestBothWays(t *testing.T) {
	files := site5(t)
	for _, c := range []struct{ page, other string }{
		{"gcn/v_mad_f32.html", "gcn/enc/vop3.html"},
		{"gcn/v_mad_f32.html", "ir/fmul.html"},
		{"gcn/v_mad_f32.html", "gcn/reference.html"},
		{"gcn/v_interp_p1_f32.html", "gcn/kind/an-attribute.html"},
		{"gcn/buffer_load_dword.html", "gcn/options.html"},
		{"tesla/sin.html", "ir/sfu.html"},
		{"rogue/fmad.html", "rogue/options.html"},
		{"attila/mad.html", "attila/enc/register.html"},
	} {
		for from, to := range map[string]string{c.page: c.other, c.other: c.page} {
			links, _ := linksAndIDs(t, from, files[from])
			if !slices.ContainsFunc(links, func(l link) bool {
				file, _, _ := strings.Cut(l.to, "#")
				return path.Join(path.Dir(from), file) == to
			}) {
				t.Errorf("%s does not lead to %s", from, to)
			}
		}
	}
}

// TestSame: the same tables give the same bytes.
func TestSame(t *testing.T) {
	a, b := one(t, "attila"), one(t, "attila")
	if !maps.EqualFunc(a, b, bytes.Equal) {
		t.Error("two sites differ")
	}
}

// TestOps: every op has a page with its fidelity.
func TestOps(t *testing.T) {
	files := site5(t)
	for op := range ir.Op(ir.Ops()) {
		info := op.Info()
		text := textOf(t, files["ir/"+info.Name+".html"])
		if !strings.Contains(text, info.Doc) || !strings.Contains(text, info.Rule) || !strings.Contains(text, info.Fidelity.String()) {
			t.Errorf("%s: %q", info.Name, text)
		}
	}
}
