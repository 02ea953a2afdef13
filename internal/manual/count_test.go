package manual

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

// TestInstructionNames: forms of a mnemonic are one instruction, and so are rows of one mnemonic that do different
// things; a variant has the instructions of its rows.
func TestInstructionNames(t *testing.T) {
	long := &isa.Encoding{Name: "LONG"}
	s := &isa.Set{Arch: &isa.Arch{Defs: []isa.Def{
		{Name: "add_e32", Also: []string{"add"}, Variants: 3}, {Name: "add_e64", Also: []string{"add"}, Enc: long, Variants: 3},
		{Name: "mul", Doc: "of integers", Variants: 2}, {Name: "mul", Doc: "of floats", Variants: 2}, {Name: "mul_wide", Variants: 1},
	}}}
	for variants, want := range map[uint32]string{AllVariants: "add mul mul_wide", 1: "add mul_wide", 2: "add mul"} {
		if got := strings.Join(InstructionNames(s.Arch, variants), " "); got != want {
			t.Errorf("variants %#x: %s, want %s", variants, got, want)
		}
	}
}

// A said is a number in handwritten text that counts something in the tables.
type said struct {
	file, text string // each %n is the next number, with blanks between thousands
	counts     []func() int
}

func (x said) sentence() string {
	text := x.text
	for _, count := range x.counts {
		text = strings.Replace(text, "%n", grouped(count()), 1)
	}
	return text
}

// texts are the numbers of instructions and rows of sets in handwritten text. Generated pages and tables use the same
// functions.
var texts = [...]said{
	{"README.md", "%n of the %n instructions of the reference have no public encoding",
		[]func() int{privateEntries, func() int { return len(setNamed("rogue").Entries) }}},
	{"README.md", "the values of %n rows of Valhall v9, and of %n rows of v14, have no public description",
		[]func() int{func() int { return lacking("valhall", "v9") }, func() int { return lacking("valhall", "v14") }}},
	{"docs/vectors.md", "no encoding is public (%n instructions of Rogue)", []func() int{privateEntries}},
	{"docs/rationale.md", "GCN of gfx8 has about %n rows",
		[]func() int{func() int { return (Supports(setNamed("gcn").Arch)[0].Rows + 50) / 100 * 100 }}},
}

// others are numbers before these words that count something else, or what a source lists.
var others = map[string]string{
	"docs/limits.md: 256 instructions":                   "a limit of the engines",
	"docs/limits.md: 524288 instructions":                "a limit of the engines",
	"docs/live.md: 200 000 instructions":                 "a limit of the server",
	"docs/reference/gcn.md: 87 mnemonics":                "what the VOP3 page lists",
	"docs/reference/attila.md: 92 compiled instructions": "of a program that was measured",
	"docs/reference/attila.md: 2048 instructions":        "a limit of the simulator",
	"docs/reference/attila.md: 43 million instructions":  "a speed that was measured",
	"docs/limits.md: 100 broken rows":                    "a limit of a report",
	"docs/manifests.md: 16 000 instructions":             "a limit of pages of coverage",
	"docs/profile.md: 11 000 instructions":               "what comparisons match at most",
	"docs/profile.md: 262 144 instructions":              "a limit of live profiles",
	"docs/costs.md: 300 instructions":                    "the largest block that was compared",
	"docs/reference/gcn.md: 1 vector instructions":       "the value of a bit",
	"cases/README.md: 18 instructions":                   "what the VOP3 page describes",
}

func setNamed(name string) *isa.Set {
	for _, s := range sets.Sets() {
		if s.Name == name {
			return s
		}
	}
	panic("no set " + name)
}

// privateEntries returns the number of instructions in Rogue's reference without a row that has a public encoding.
func privateEntries() (n int) {
	s, public := setNamed("rogue"), map[string]bool{}
	for i := range s.Defs {
		if d := &s.Defs[i]; !d.Private {
			public[d.Entry] = true
		}
	}
	for _, e := range s.Entries {
		if !public[e.Name] {
			n++
		}
	}
	return n
}

// lacking returns the number of rows of a variant without semantics.
func lacking(name, variant string) int {
	set := setNamed(name)
	v, ok := set.Variant(variant)
	if !ok {
		panic("no variant " + variant)
	}
	c := Supports(set.Arch)[v]
	return c.Rows - c.Run
}

var (
	counted = regexp.MustCompile(`(?:^|[ (])(\d+(?: \d{3})*(?: [a-z]+)? (?:instructions|mnemonics|rows))\b`)
	printed = regexp.MustCompile(`(?m)^    .*$`) // commands with their output
	made    = regexp.MustCompile(`(?s)<!-- support:.*<!-- end of support -->`)
)

// handwritten returns the text of pages that are not generated, by path: words separated by single blanks, without
// examples.
func handwritten(t *testing.T) map[string]string {
	root, files := filepath.Join("..", ".."), map[string]string{}
	for _, pattern := range []string{"README.md", "CONTRIBUTING.md", "cases/README.md", "docs/*.md", "docs/reference/*.md", "editors/*/README.md", "examples/*.md"} {
		list, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range list {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			if name = filepath.ToSlash(name); !strings.HasPrefix(name, "docs/coverage-") && !strings.HasPrefix(name, "docs/isa-") {
				text := made.ReplaceAllString(string(data), "")
				files[name] = strings.Join(strings.Fields(printed.ReplaceAllString(text, "")), " ")
			}
		}
	}
	return files
}

// TestNumbersInText: numbers of instructions and rows in text are those counted, and there are no others.
func TestNumbersInText(t *testing.T) {
	files := handwritten(t)
	for _, x := range texts {
		want := x.sentence()
		if !strings.Contains(files[x.file], want) {
			t.Errorf("%s does not say: %s", x.file, want)
		}
	}
	for _, x := range texts {
		files[x.file] = strings.ReplaceAll(files[x.file], x.sentence(), "")
	}
	met := map[string]bool{}
	for name, text := range files {
		for _, m := range counted.FindAllStringSubmatch(text, -1) {
			key := name + ": " + m[1]
			if met[key] = true; others[key] == "" {
				t.Errorf("%s: nothing says what is counted; add it to texts or others", key)
			}
		}
	}
	for key := range others {
		if !met[key] {
			t.Errorf("%s is not said any more", key)
		}
	}
}

// grouped formats a number with blanks between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}
