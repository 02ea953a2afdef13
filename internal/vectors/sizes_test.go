package vectors

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

// A size is a row of the table in docs/vectors.md: the output of make vectors for a variant.
type size struct {
	name                 string
	tests, files, none   int
	plain, compressedLen float64 // in MB
}

const sizeHead = "| set | tests | files | rows without tests | as JSON, MB | compressed, MB |\n|---|---:|---:|---:|---:|---:|\n"

func (s size) String() string {
	return fmt.Sprintf("| `%s` | %d | %d | %d | %.1f | %.2f |", s.name, s.tests, s.files, s.none, s.plain, s.compressedLen)
}

// measure makes the vectors of a variant.
func measure(t *testing.T, target *isa.Target) size {
	var mu sync.Mutex
	var plain, packed int
	j := Job{Target: target, Options: Options{Seed: 1, Count: DefaultCount}, Put: func(_ string, data []byte) error {
		small, err := compressed(data)
		mu.Lock()
		defer mu.Unlock()
		plain, packed = plain+len(data), packed+len(small)
		return err
	}}
	ix, err := j.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return size{ix.ISA, ix.Tests, len(ix.Files), len(ix.Missing), float64(plain) / 1e6, float64(packed) / 1e6}
}

// TestSizes: the page has a row for each variant, and those of the smallest set are right; with HEDDLE_LONG=1 all are
// checked. HEDDLE_SIZES=1 writes the measured rows.
func TestSizes(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "vectors.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- sizes -->\n", "<!-- end of sizes -->"
	before, rest, ok := strings.Cut(string(page), begin)
	table, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("docs/vectors.md has no table of sizes")
	}
	write := os.Getenv("HEDDLE_SIZES") != ""
	made := sizeHead
	for _, s := range sets.Sets() {
		for v := range s.Variants {
			name := s.Name + ":" + s.Variants[v].Name
			_, row, ok := strings.Cut(table, "| `"+name+"` |")
			row, _, _ = strings.Cut(row, "\n")
			if !ok && !write {
				t.Errorf("docs/vectors.md has no row of %s", name)
				continue
			}
			if ok && s.Name != "attila" && os.Getenv("HEDDLE_LONG") == "" {
				made += "| `" + name + "` |" + row + "\n"
				continue
			}
			got := measure(t, s.At(v, 0))
			made += got.String() + "\n"
			if write {
				continue
			}
			want := size{name: name}
			if _, err := fmt.Sscanf(row, " %d | %d | %d | %f | %f |", &want.tests, &want.files, &want.none, &want.plain, &want.compressedLen); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got.files != want.files || got.none != want.none || !near10(float64(got.tests), float64(want.tests)) || !near10(got.plain, want.plain) || !near10(got.compressedLen, want.compressedLen) {
				t.Errorf("docs/vectors.md is out of date, HEDDLE_SIZES=1 go test ./internal/vectors -run TestSizes writes it: %s, and the page says %s", got, want)
			}
		}
	}
	if write {
		if err := os.WriteFile(path, []byte(before+begin+made+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// near10 reports whether two sizes differ by at most a tenth, or by rounding of the printed digits.
func near10(a, b float64) bool { return math.Abs(a-b) <= max(a, b)/10+0.06 }
