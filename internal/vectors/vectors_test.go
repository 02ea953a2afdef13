package vectors

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

// eachVariant calls f for all variants of all sets.
func eachVariant(t *testing.T, f func(t *testing.T, target *isa.Target)) {
	for _, s := range sets.Sets() {
		for v := range s.Variants {
			t.Run(s.Name+":"+s.Variants[v].Name, func(t *testing.T) {
				t.Parallel()
				f(t, s.At(v, 0))
			})
		}
	}
}

// why are prefixes of the valid reasons for a row without tests. Any other is a defect of the maker.
var why = []string{
	"unsupported: the reference documents give no meaning",
	"unsupported: no source says what this form reads and writes",
	"illegal: rule dpp-64bit",
	"guest: ",
	"resource: ",
	"undefined: ",
}

// rowCount returns the number of tests per row and variant in TestEveryRow.
func rowCount() int {
	if os.Getenv("HEDDLE_LONG") != "" {
		return 24
	}
	return 1
}

// TestEveryRow: every row of every variant has tests or a valid reason why not, file names are distinct, and written
// files are read back and verify.
func TestEveryRow(t *testing.T) {
	eachVariant(t, func(t *testing.T, target *isa.Target) {
		v := NewVerifier(ref.New())
		var mu sync.Mutex
		files := map[string]bool{}
		j := Job{Target: target, Options: Options{Seed: 3, Count: rowCount()}, Put: func(name string, data []byte) error {
			mu.Lock()
			twice := files[strings.ToLower(name)]
			files[strings.ToLower(name)] = true
			mu.Unlock()
			if twice {
				return fmt.Errorf("%s is there twice", name)
			}
			if target.Variant == 0 || os.Getenv("HEDDLE_LONG") != "" { // rows of other variants are mostly the same
				readBack(t, v, name, data)
			}
			return nil
		}}
		ix, err := j.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		rows := len(ix.Missing)
		for _, f := range ix.Files {
			rows += len(f.Rows)
		}
		want := 0
		for i := range target.Defs {
			if d := &target.Defs[i]; d.InVariant(target.Variant) && !d.Alias {
				want++
			}
		}
		if rows != want || len(files) != len(ix.Files) {
			t.Errorf("%d rows in the index, %d in the table; %d files in the index, %d written", rows, want, len(ix.Files), len(files))
		}
		for _, r := range ix.Missing {
			known := false
			for _, w := range why {
				known = known || strings.HasPrefix(r.Missing, w)
			}
			if !known {
				t.Errorf("%s %s %s has no tests: %s", r.Mnemonic, r.Encoding, r.Stage, r.Missing)
			}
		}
	})
}

// readBack reads a file, verifies its tests, and returns them.
func readBack(t *testing.T, v *Verifier, name string, data []byte) (tests []*Test) {
	t.Helper()
	Read(bytes.NewReader(data), name, func(x *Test, err error) bool {
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return false
		}
		tests = append(tests, x)
		if differs, err := v.Verify(x); err != nil || differs != "" {
			t.Errorf("%s:%d: %s: %s %v", name, x.Line, x.Name, differs, err)
		}
		return !t.Failed()
	})
	return tests
}

// made returns the file of a mnemonic.
func made(t *testing.T, isaName, mnemonic string, o Options) []byte {
	t.Helper()
	target, err := sets.Lookup(isaName)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewMaker(target, o)
	if err != nil {
		t.Fatal(err)
	}
	tests, _, err := m.Tests(context.Background(), mnemonic)
	if err != nil {
		t.Fatal(err)
	}
	if len(tests) == 0 {
		t.Fatalf("%s: no tests of %s", isaName, mnemonic)
	}
	return m.Append(nil, tests)
}

// TestEngines: every engine gives the results in the files, in its highest tier.
func TestEngines(t *testing.T) {
	for _, x := range []struct{ isa, mnemonic string }{
		{"gcn:gfx8", "v_mad_f32"}, {"gcn:gfx8", "ds_add_rtn_u32"}, {"gcn:gfx6", "s_load_dwordx2"}, {"gcn:gfx8", "v_cmp_lt_f64"}, {"valhall", "FMA.v2f16"},
		{"tesla", "bra"}, {"rogue", "fmad"}, {"attila", "dp4"}, {"gcn:gfx8", "s_barrier"}, {"gcn:gfx8", "s_endpgm"}, {"valhall", "BRANCHZ"},
	} {
		data := made(t, x.isa, x.mnemonic, Options{Seed: 5, Count: 12})
		for _, e := range engines.Tested() {
			readBack(t, NewVerifier(exec.Eager(e.New())), x.mnemonic, data)
		}
	}
}

// TestSeed: the same seed gives the same bytes, another seed others.
func TestSeed(t *testing.T) {
	a, b := made(t, "gcn:gfx8", "v_fma_f32", Options{Seed: 1}), made(t, "gcn:gfx8", "v_fma_f32", Options{Seed: 1})
	if !bytes.Equal(a, b) {
		t.Error("two runs with one seed differ")
	}
	if bytes.Equal(a, made(t, "gcn:gfx8", "v_fma_f32", Options{Seed: 2})) {
		t.Error("two seeds give the same")
	}
}

// TestBytes: files do not change, on any machine and with any Go version. A change of how tests are made updates the
// hash here, and must be announced to users who keep files.
func TestBytes(t *testing.T) {
	const want = "6b533e41b3ffa657a35923996f35d6e82b6a6d1ec8c4d26ddcbf57dc3fdba0d3"
	if got := fmt.Sprintf("%x", sha256.Sum256(made(t, "gcn:gfx8", "v_xor_b32_e32", Options{Seed: 1, Count: 8}))); got != want {
		t.Errorf("the hash is %s, want %s", got, want)
	}
}

// TestSource: the numbers are those of splitmix64, whose first ones for the state 1234567 are published with it, and of
// FNV-1a.
func TestSource(t *testing.T) {
	r := &source{1234567}
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := r.next(); got != want {
			t.Errorf("next is %d, want %d", got, want)
		}
	}
	h := fnv.New64a()
	h.Write([]byte("gcn:gfx8\x00v_nop\x00"))
	if got := newSource(0, "gcn:gfx8", "v_nop").x; got != h.Sum64() { // mix(0) is 0
		t.Errorf("the state is %#x, want %#x", got, h.Sum64())
	}
}
