package reference

import (
	"fmt"
	"strings"
	"testing"
)

const page = `# A page

Words. 1. is no entry here.

## 0. First

1. one
2. two

### 0.1 Inner

` + "```\n## not a heading\n```" + `

## 2. Third: VOP1, VOP2

3. three

### 2.10 Deep

#### 2.10.1 v_trig_preop
`

func TestParse(t *testing.T) {
	p, err := Parse("x", page)
	if err != nil {
		t.Fatal(err)
	}
	want := "[{x 0 First 0-first} {x 0.1 Inner 01-inner} {x 2 Third: VOP1, VOP2 2-third-vop1-vop2} " +
		"{x 2.10 Deep 210-deep} {x 2.10.1 v_trig_preop 2101-v_trig_preop}]"
	if got := fmt.Sprint(p.Sections); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for at, want := range map[Place]bool{
		{}: true, {Section: "0"}: true, {Section: "0.1"}: true, {Section: "2.10.1"}: true, {Section: "0", Entry: 2}: true, {Section: "2", Entry: 3}: true,
		{Section: "1"}: false, {Section: "2.1"}: false, {Section: "0", Entry: 3}: false, {Section: "0.1", Entry: 1}: false, {Section: "2", Entry: 1}: false,
	} {
		if p.Has(at) != want {
			t.Errorf("%+v: %t", at, !want)
		}
	}
	for _, bad := range []string{"## No number", "## 1. A\n## 1. B", "## 1. A\n### 2.1 B", "## 1. A\n## 1.1 B", "## 1. A\n#### 1.1 B", "### 1 A"} {
		if p, err := Parse("x", bad); err == nil {
			t.Errorf("%q: %+v", bad, p)
		}
	}
}

// TestSlugs: known anchors of GitHub.
func TestSlugs(t *testing.T) {
	s := Slugs{}
	for _, c := range []struct{ heading, want string }{
		{"Installation", "installation"},
		{"7.6 VOP1 and VOP2", "76-vop1-and-vop2"},
		{"What's `new` in v2.0?", "whats-new-in-v20"},
		{"Foo & Bar", "foo--bar"},
		{"a_b-c", "a_b-c"},
		{"Größe", "größe"},
		{"Installation", "installation-1"},
		{"Installation", "installation-2"},
	} {
		if got := s.Next(c.heading); got != c.want {
			t.Errorf("%q: %s, want %s", c.heading, got, c.want)
		}
	}
}

const path = "docs/reference/"

func TestCited(t *testing.T) {
	for text, want := range map[string]string{
		"nothing of gcn.md 7":                                       "",
		path + "gcn.md":                                             "gcn",
		path + "gcn.md lists 87":                                    "gcn",
		path + "gcn.md 7.6":                                         "gcn 7.6",
		"A. Source: " + path + "gcn.md 7.1. More 3.":                "gcn 7.1",
		path + "gcn.md sections 1, 4 and 8.1, and it":               "gcn 1|4|8.1",
		path + "gcn.md section 9, which":                            "gcn 9",
		path + "gcn.md 8.1 (buffer) and 8.3 (DS). x":                "gcn 8.1|8.3",
		path + "attila.md 12 no. 4, and " + path + "gcn.md 3":       "attila 12 no. 4|gcn 3",
		path + "tesla.md 8.2, bra; " + path + "valhall.md, 7 lanes": "tesla 8.2|valhall",
		path + "gcn.md 2.5 no. 4 and 3, and 5":                      "gcn 2.5 no. 4|3|5",
	} {
		var got []string
		for i, p := range Cited(text) {
			s := text[p.Lo:p.Hi]
			if i == 0 || strings.HasPrefix(s, path) {
				s = strings.Replace(strings.TrimPrefix(s, path), ".md", "", 1)
				s = strings.NewReplacer(" sections", "", " section", "").Replace(s)
			}
			if !strings.HasSuffix(strings.Split(s, " no.")[0], p.Section) || !strings.Contains(s, " no.") != (p.Entry == 0) {
				t.Errorf("%q: %+v", text, p)
			}
			got = append(got, s)
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%q: %s, want %s", text, s, want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	p, err := Parse("x", page)
	if err != nil {
		t.Fatal(err)
	}
	ix := NewIndex(p.Sections)
	text := path + "x.md 0 and 2.10; " + path + "x.md 5; " + path + "x.md"
	want := "[" + path + "x.md 0](reference/x.md#0-first) and [2.10](reference/x.md#210-deep); " + path + "x.md 5; " + path + "x.md"
	if got := ix.Markdown(text); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := fmt.Sprint(ix.Lookup(text+" "+path+"x.md 0")), "[{x 0 First 0-first} {x 2.10 Deep 210-deep}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := ix["x 0"].URL(), "https://github.com/heddle-gpu/heddle/blob/main/docs/reference/x.md#0-first"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
