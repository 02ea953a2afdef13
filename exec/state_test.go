package exec_test

import (
	"testing"
	"unsafe"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// TestAligned: V, its rows, S and M start at multiples of 64 bytes, in states made one after another and in copies.
// A row has at least 16 words, and is the Stride words starting at Index.
func TestAligned(t *testing.T) {
	strides := map[int]int{1: 16, 7: 16, 33: 48, 64: 64}
	for _, lanes := range machine.Widths {
		first, err := exec.NewState(machine, lanes)
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range []*exec.State{first, first.NewState(), first.Snapshot(), first.NewState()} {
			if st.Stride != strides[lanes] {
				t.Errorf("%d lanes: stride %d, want %d", lanes, st.Stride, strides[lanes])
			}
			at := map[string]uintptr{"V": uintptr(unsafe.Pointer(&st.V[0])), "S": uintptr(unsafe.Pointer(&st.S[0])), "M": uintptr(unsafe.Pointer(&st.M[0]))}
			for fi, f := range machine.Files {
				for i := 0; f.Kind == ir.Lane32 && i < f.Count; i++ {
					c := ir.Cell{File: uint8(fi), Index: uint16(i)}
					row := st.Row(c)
					if &row[0] != &st.V[st.Index(c)*st.Stride] || len(row) != lanes || cap(row) != lanes {
						t.Errorf("%d lanes: row of %s[%d] has %d words of %d", lanes, f.Name, i, len(row), cap(row))
					}
					at[f.Name] |= uintptr(unsafe.Pointer(&row[0]))
				}
			}
			for name, x := range at {
				if x%64 != 0 {
					t.Errorf("%d lanes: %s is at %#x", lanes, name, x)
				}
			}
		}
	}
}

// TestPadding: words beyond the lanes do not affect comparisons, and are no part of a value.
func TestPadding(t *testing.T) {
	for _, lanes := range machine.Widths {
		st, _ := exec.NewState(machine, lanes)
		for i := range st.V {
			st.V[i] = uint32(i)
		}
		other := st.Snapshot()
		for i := range other.V {
			if i%st.Stride >= lanes {
				other.V[i] = ^other.V[i]
			}
		}
		if d := st.Diff(other, 9); d != nil || !st.Equal(other) || !other.Equal(st) {
			t.Errorf("%d lanes: %q", lanes, d)
		}
		spare := st.NewState()
		if spare.Restore(other); !spare.Equal(st) {
			t.Errorf("%d lanes: restored: %q", lanes, spare.Diff(st, 3))
		}
		other.V[lanes-1]++
		if d := st.Diff(other, 9); len(d) != 1 {
			t.Errorf("%d lanes: one word differs: %q", lanes, d)
		}
	}
}

// TestVector: four consecutive rows are those that Row returns, and are zeroed with them. States with shorter rows
// have no Vector.
func TestVector(t *testing.T) {
	m := *machine
	m.Files = append([]ir.File{{Name: "many", Kind: ir.Lane32, Count: 72}}, m.Files...)
	m.Mode.File++
	p := exec.NewProgram(writes{})
	for _, lanes := range m.Widths {
		st, err := exec.NewState(&m, lanes)
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint16(69) {
			v := st.Vector(ir.Cell{Index: i})
			if (v != nil) != (lanes > 48) {
				t.Fatalf("%d lanes: a vector is %v", lanes, v != nil)
			}
			for k := uint16(0); k < 4 && v != nil; k++ {
				if row := st.Row(ir.Cell{Index: i + k}); &v[k][0] != &row[0] {
					t.Errorf("row %d of a vector from %d on lies elsewhere", k, i)
				}
			}
		}
		st.ResetFor(p)
		for i := uint16(0); i < 69 && lanes > 48; i += 4 {
			v := st.Vector(ir.Cell{Index: i})
			v[0][0], v[1][1], v[2][2], v[3][63] = 1, 2, 3, 4
		}
		st.ResetFor(p)
		for i, x := range st.V {
			if x != 0 {
				t.Fatalf("%d lanes: word %d of %d is %d", lanes, i, len(st.V), x)
			}
		}
	}
}
