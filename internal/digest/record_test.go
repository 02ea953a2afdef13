package digest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A record is a line of digests.tsv.
type record struct {
	name   string
	inputs string // digest of the files of the set
	items  int
	sum    string
	chunks []string // short digests of up to maxChunks parts of the items, to locate a difference
}

const maxChunks = 24

func (r *record) line() string {
	return fmt.Sprintf("%s\t%s\t%d\t%s\t%s\n", r.name, r.inputs, r.items, r.sum, strings.Join(r.chunks, " "))
}

func parseRecords(text string) (map[string]record, error) {
	list := map[string]record{}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(line, "\t")
		if len(c) != 5 {
			return nil, fmt.Errorf("line %d: %d columns, want 5", i+1, len(c))
		}
		n, err := strconv.Atoi(c[2])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if _, dup := list[c[0]]; dup {
			return nil, fmt.Errorf("line %d: %s is given twice", i+1, c[0])
		}
		list[c[0]] = record{c[0], c[1], n, c[3], strings.Fields(c[4])}
	}
	return list, nil
}

// A digester computes the digests of a record from its items.
type digester struct {
	sums  [][sha256.Size]byte
	heads []string // starts of the items, for reports
	dump  *os.File // nil: items are not written
	err   error
}

const maxHead = 160

// newDigester returns a digester; with a folder, items are also written to a file there.
func newDigester(dump, name string) (*digester, error) {
	d := &digester{}
	if dump == "" {
		return d, nil
	}
	if err := os.MkdirAll(dump, 0o777); err != nil {
		return nil, err
	}
	var err error
	d.dump, err = os.Create(filepath.Join(dump, strings.NewReplacer("/", "_", " ", "_", ":", "_").Replace(name)+".txt"))
	return d, err
}

func (d *digester) add(item string) {
	d.sums = append(d.sums, sha256.Sum256([]byte(item)))
	d.heads = append(d.heads, strings.Clone(item[:min(len(item), maxHead)]))
	if d.dump != nil && d.err == nil {
		_, d.err = d.dump.WriteString(item + "\n")
	}
}

func (d *digester) close() error {
	if d.dump == nil {
		return nil
	}
	if err := d.dump.Close(); err != nil {
		return err
	}
	return d.err
}

func (d *digester) record(name, inputs string) record {
	r := record{name: name, inputs: inputs, items: len(d.sums), sum: d.part(0, len(d.sums))}
	n := min(len(d.sums), maxChunks)
	for i := range n {
		r.chunks = append(r.chunks, d.part(chunk(i, n, len(d.sums)))[:4])
	}
	return r
}

func (d *digester) part(from, to int) string {
	h := sha256.New()
	for _, s := range d.sums[from:to] {
		h.Write(s[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// chunk returns the range of items in chunk i of n.
func chunk(i, n, items int) (from, to int) { return i * items / n, (i + 1) * items / n }

// differs describes how a record differs from the recorded one, or returns "", and shows the items of the first part
// that differs.
func (d *digester) differs(want record) string {
	got := d.record(want.name, want.inputs)
	switch {
	case got.sum == want.sum:
		return ""
	case got.items != want.items:
		return fmt.Sprintf("%d items, %d were recorded", got.items, want.items)
	}
	for i, c := range want.chunks {
		if i < len(got.chunks) && c != got.chunks[i] {
			from, to := chunk(i, len(want.chunks), got.items)
			return fmt.Sprintf("the first difference is among items %d to %d of %d:\n\t%s\n\t...\n\t%s", from, to-1, got.items, d.heads[from], d.heads[to-1])
		}
	}
	return "an item differs"
}

// inputsOf returns the digest of files.
func inputsOf(files []string) (string, error) {
	h := sha256.New()
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(b)
		fmt.Fprintf(h, "%s %x\n", filepath.Base(f), sum)
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}
