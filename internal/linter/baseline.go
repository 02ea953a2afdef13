package linter

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/heddle-gpu/heddle/lint"
)

// BaselineFormat is the format of a baseline file; docs/schemas/baseline.schema.json is its schema.
const BaselineFormat = "heddle-lint-baseline-1"

// A Baseline is a set of known findings, which are not reported again. A finding is identified by what does not change
// when other code moves: file, rule, function, and text of the instruction; not by its line or address.
type Baseline struct {
	dir     string              // folder of the baseline file; paths in it are relative to this
	entries map[string][]*Known // by file
	index   map[baselineKey]*Known
}

// A Known is a number of findings that a baseline cannot tell apart.
type Known struct {
	File   string `json:"file"` // relative to the folder of the baseline, with slashes
	Rule   string `json:"rule"`
	Symbol string `json:"symbol,omitempty"` // the function or label before the instruction
	Text   string `json:"text,omitempty"`   // of the instruction, without the target of a branch
	Count  int    `json:"count"`
}

type baselineKey struct{ file, rule, symbol, text string }

func (k *Known) key() baselineKey { return baselineKey{k.File, k.Rule, k.Symbol, k.Text} }

// String formats the finding as messages do: "a.s: pending-read in main: s_mov_b32 s0, s1".
func (k *Known) String() string {
	s := k.File + ": " + k.Rule
	if k.Symbol != "" {
		s += " in " + k.Symbol
	}
	if k.Text != "" {
		s += fmt.Sprintf(": %q", k.Text)
	}
	if k.Count > 1 {
		s += fmt.Sprintf(", %d times", k.Count)
	}
	return s
}

type baselineFile struct {
	Format   string   `json:"format"`
	Findings []*Known `json:"findings"`
}

// NewBaseline returns an empty baseline for a file at path.
func NewBaseline(path string) *Baseline {
	return &Baseline{dir: filepath.Dir(path), entries: map[string][]*Known{}, index: map[baselineKey]*Known{}}
}

// ReadBaseline reads a baseline file; path is where it is. Unknown keys, duplicate findings, and counts below 1 are
// errors.
func ReadBaseline(path string, data []byte) (*Baseline, error) {
	var f baselineFile
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(&f)
	if err == nil && d.More() {
		err = errors.New("something follows the object")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not a baseline of lint: %w", jsonPlace(path, data, err), err)
	}
	if f.Format != BaselineFormat {
		return nil, fmt.Errorf("%s: not a baseline of lint: format is %q, want %q", path, f.Format, BaselineFormat)
	}
	b := NewBaseline(path)
	for i, k := range f.Findings {
		what := ""
		switch {
		case k == nil || k.File == "" || k.Rule == "":
			what = "file or rule is missing"
		case k.Count < 1:
			what = fmt.Sprintf("count is %d, want 1 or more", k.Count)
		case b.index[k.key()] != nil:
			what = "the same finding is in the list twice; count is for several"
		}
		if what != "" {
			return nil, fmt.Errorf("%s: findings[%d]: %s", path, i, what)
		}
		b.add(k)
	}
	return b, nil
}

// jsonPlace returns the path with the line and column of the error, if err has them.
func jsonPlace(path string, data []byte, err error) string {
	var at int64
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &typ):
		at = typ.Offset
	default:
		return path
	}
	before := data[:max(0, min(at-1, int64(len(data))))]
	return fmt.Sprintf("%s:%d:%d", path, bytes.Count(before, []byte("\n"))+1, len(before)-bytes.LastIndexByte(before, '\n'))
}

func (b *Baseline) add(k *Known) {
	b.index[k.key()] = k
	b.entries[k.File] = append(b.entries[k.File], k)
}

// Name returns a file's name in the baseline: relative to the baseline's folder, if both are on the same volume.
func (b *Baseline) Name(file string) string {
	if file == "-" {
		return file
	}
	dir, err := filepath.Abs(b.dir)
	abs, err2 := filepath.Abs(file)
	if err != nil || err2 != nil {
		return filepath.ToSlash(file)
	}
	rel, err := filepath.Rel(dir, abs)
	if err != nil {
		return filepath.ToSlash(abs)
	}
	return filepath.ToSlash(rel)
}

// keyOf returns the key of a finding in a file of that name.
func keyOf(name string, f *lint.Finding) baselineKey {
	return baselineKey{name, f.Rule, f.Place.Symbol, baselineText(f)}
}

var numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(0x[0-9a-fA-F]+|[0-9]+)\b`) })

// baselineText returns the text of the instruction, with * for the numbers of a branch: its distance changes with the
// code in between.
func baselineText(f *lint.Finding) string {
	if f.Branch {
		return numbers().ReplaceAllString(f.Text, "*")
	}
	return f.Text
}

// Has reports for each of the findings of a file whether it is known. If findings are alike, the first ones count as
// known.
func (b *Baseline) Has(file string, findings []lint.Finding) []bool {
	known, _ := b.has(b.Name(file), findings)
	return known
}

// has is Has for a file of that name in the baseline. seen counts the findings.
func (b *Baseline) has(name string, findings []lint.Finding) (known []bool, seen map[baselineKey]int) {
	known, seen = make([]bool, len(findings)), map[baselineKey]int{}
	for i := range findings {
		k := keyOf(name, &findings[i])
		seen[k]++
		e := b.index[k]
		known[i] = e != nil && seen[k] <= e.Count
	}
	return known, seen
}

// Take removes the known findings from the findings of a file: see Has. stale are the findings of the baseline that no
// longer occur, with their number.
func (b *Baseline) Take(file string, findings []lint.Finding) (left []lint.Finding, known int, stale []Known) {
	name := b.Name(file)
	is, seen := b.has(name, findings)
	for i := range findings {
		if is[i] {
			known++
			continue
		}
		left = append(left, findings[i])
	}
	for _, e := range b.entries[name] {
		if n := e.Count - seen[e.key()]; n > 0 {
			gone := *e
			gone.Count = n
			stale = append(stale, gone)
		}
	}
	return left, known, stale
}

// Add adds the findings of a file.
func (b *Baseline) Add(file string, findings []lint.Finding) {
	name := b.Name(file)
	for i := range findings {
		k := keyOf(name, &findings[i])
		if e := b.index[k]; e != nil {
			e.Count++
			continue
		}
		b.add(&Known{k.file, k.rule, k.symbol, k.text, 1})
	}
}

// Len returns the number of known findings.
func (b *Baseline) Len() (n int) {
	for _, k := range b.index {
		n += k.Count
	}
	return n
}

// Files returns the files with known findings, in order.
func (b *Baseline) Files() []string {
	var names []string
	for name := range b.entries {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Path returns the path of a file that the baseline names.
func (b *Baseline) Path(name string) string {
	if path := filepath.FromSlash(name); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(b.dir, filepath.FromSlash(name))
}

// Of returns the known findings of a file that the baseline names.
func (b *Baseline) Of(name string) (list []Known) {
	for _, k := range b.entries[name] {
		list = append(list, *k)
	}
	return list
}

// Write writes the file with one finding per line, in an order that does not depend on the order of Add.
func (b *Baseline) Write(w io.Writer) error {
	list := make([]*Known, 0, len(b.index))
	for _, k := range b.index {
		list = append(list, k)
	}
	slices.SortFunc(list, func(x, y *Known) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Rule, y.Rule), cmp.Compare(x.Symbol, y.Symbol), cmp.Compare(x.Text, y.Text))
	})
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\n  \"format\": %q,\n  \"findings\": [", BaselineFormat)
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	for i, k := range list {
		out.WriteString(map[bool]string{true: "\n    ", false: ",\n    "}[i == 0])
		if err := e.Encode(k); err != nil {
			return err
		}
		out.Truncate(out.Len() - 1)
	}
	if len(list) > 0 {
		out.WriteString("\n  ")
	}
	out.WriteString("]\n}\n")
	_, err := w.Write(out.Bytes())
	return err
}
