package vectors

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

// TestFields: every value of every small field that is no register occurs in a test: negations, absolute values,
// clamps, factors, selects, swizzles, waits. Kinds say which values no word may have.
func TestFields(t *testing.T) {
	for _, x := range []struct {
		isa, mnemonic string
		count, fields int      // tests per row, and the least number of fields
		not           []string // values that trap, or that this variant does not have
	}{
		{"gcn:gfx8", "v_add_f32", 64, 20, nil},
		{"gcn:gfx8", "v_cndmask_b32", 64, 12, nil},
		{"gcn:gfx8", "buffer_load_dword", 32, 2, nil},
		{"valhall", "FADD.f32", 96, 8, []string{"word 0xa4 sticky=1", "word 0xa4 flow=12", "word 0xa4 flow=14"}},
		{"attila", "mad", 128, 12, nil},
		{"rogue", "fmad", 96, 5, nil},
	} {
		t.Run(x.mnemonic, func(t *testing.T) {
			target, err := sets.Lookup(x.isa)
			if err != nil {
				t.Fatal(err)
			}
			f := &fieldValues{map[string]map[uint64]bool{}, map[string]*isa.Kind{}, map[string]int{}}
			Read(bytes.NewReader(made(t, x.isa, x.mnemonic, Options{Seed: 2, Count: x.count})), x.mnemonic, func(test *Test, err error) bool {
				if err == nil {
					err = f.add(target, test, x.mnemonic)
				}
				if err != nil {
					t.Fatal(err)
				}
				return true
			})
			for name, values := range f.seen {
				for v := range uint64(1) << f.width[name] {
					if what := fmt.Sprintf("%s=%d", name, v); !values[v] && !reserved(f.kinds[name], v) && !slices.Contains(x.not, what) {
						t.Errorf("%s is in no test", what)
					}
				}
			}
			if len(f.seen) < x.fields {
				t.Errorf("%d fields were looked at", len(f.seen))
			}
		})
	}
}

// fieldValues are the values that fields have in tests.
type fieldValues struct {
	seen  map[string]map[uint64]bool
	kinds map[string]*isa.Kind
	width map[string]int
}

func (f *fieldValues) note(name string, k *isa.Kind, n int, v uint64) {
	if f.seen[name] == nil {
		f.seen[name], f.kinds[name], f.width[name] = map[uint64]bool{}, k, n
	}
	f.seen[name][v] = true
}

// add records the fields of a test's instruction.
func (f *fieldValues) add(target *isa.Target, test *Test, mnemonic string) error {
	b, err := test.bundle(target)
	if err != nil {
		return err
	}
	for i := range b.Parts {
		in := &b.Parts[i]
		if len(b.Parts) > 1 && in.Def.Name != mnemonic {
			continue // other instructions of the group
		}
		for k := range in.Def.Args {
			a := &in.Def.Args[k]
			name := test.Encoding + " " + a.Name
			if n := a.At.Len(); n > 0 && n <= 4 && a.RoleIn(in) == isa.NoRole {
				f.note(name, a.Kind, n, a.Get(in.Word))
			}
			for j := range a.Parts {
				if p := &a.Parts[j]; len(p.At) > 0 && p.At.Len() <= 4 {
					f.note(name+"."+p.Name, p.Kind, p.At.Len(), p.Get(in.Word))
				}
			}
		}
	}
	return nil
}

// FuzzRead: reading and running the tests of any file terminates, with or without an error.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`[{"name":"x","isa":"gcn:gfx8","bytes":[1,3,0,126],"lanes":2,"initial":{"pc":8,"regs":{"exec_lo":3,"exec_hi":0,"v1":[7,8]},"ram":[[4,1]]},"final":{"pc":12,"regs":{"v0":[7,8]},"ram":[[4,1]]}}]`))
	f.Add([]byte(`[{"name":"x","isa":"tesla","stage":"cp","bytes":[3,0,0,48,0,0,0,0],"lanes":1,"initial":{"pc":8,"stack":[{"kind":"join","pc":1,"mask":[1],"waiting":[0]}],"regs":{"exec":[1]},"ram":[],"spaces":{"private":[[0,4,1]],"const3":[[0,0]]}},"final":{"pc":[null],"ended":[1],"inputs":[{"slot":1,"component":0,"how":"flat","values":[null]}],"regs":{},"ram":[]}}]`))
	f.Add([]byte(`[{"name":"{ s0 = r1 p0: ftb_msb ft3, s2; w0 = r0 }","isa":"rogue","lanes":1,"initial":{"pc":0,"regs":{"pe":[1]},"ram":[]},"final":{"regs":{},"ram":[]}}]`))
	v := NewVerifier(ref.New())
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		Read(bytes.NewReader(data), "fuzz", func(x *Test, err error) bool {
			if (x == nil) == (err == nil) {
				t.Fatal(x, err)
			}
			if err == nil {
				_, _ = v.Verify(x) // the result does not matter here
			}
			n++
			return n < 50
		})
	})
}
