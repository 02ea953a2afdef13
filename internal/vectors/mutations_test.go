package vectors

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/ref"
)

// TestMutations: a final state with an error in one bit of one lane of one register, one byte of memory, one output,
// the next address, or the ended lanes is detected, and the message names it.
func TestMutations(t *testing.T) {
	v := NewVerifier(ref.New())
	for _, x := range []struct{ isa, mnemonic string }{
		{"gcn:gfx8", "v_addc_u32_e32"}, {"gcn:gfx8", "ds_add_rtn_u32"}, {"gcn:gfx8", "s_and_saveexec_b64"}, {"gcn:gfx8", "flat_store_dwordx2"}, {"gcn:gfx8", "exp"},
		{"valhall", "BRANCHZ"}, {"tesla", "bra"}, {"tesla", "st"}, {"rogue", "fmad"}, {"attila", "setpgt"}, {"gcn:gfx8", "s_endpgm"},
	} {
		t.Run(x.mnemonic, func(t *testing.T) {
			found := 0
			for _, test := range readBack(t, v, x.mnemonic, made(t, x.isa, x.mnemonic, Options{Seed: 6, Count: 6})) {
				for _, m := range mutations(test) {
					found++
					if differs, err := v.Verify(m.test); err != nil || !strings.Contains(differs, m.says) {
						t.Errorf("%s #%d: %s is wrong, and it says %q, %v", test.Name, test.Index, m.says, differs, err)
					}
				}
			}
			if found < 6 {
				t.Errorf("%d mutations", found)
			}
		})
	}
}

// A mutation is a test with a wrong final state, and the expected message.
type mutation struct {
	test *Test
	says string
}

func mutations(t *Test) (list []mutation) {
	add := func(says string, change func(s *State)) {
		m := *t
		s := &m.Final
		s.PC, s.Regs, s.RAM, s.Out = slices.Clone(s.PC), slices.Clone(s.Regs), slices.Clone(s.RAM), slices.Clone(s.Out)
		change(s)
		list = append(list, mutation{&m, says})
	}
	for i, r := range t.Final.Regs {
		lane := (i + t.Index) % len(r.Values)
		says := r.Name + " is"
		if r.Lanes {
			says = fmt.Sprintf("%s lane %d is", r.Name, lane)
		}
		add(says, func(s *State) {
			s.Regs[i].Values = slices.Clone(r.Values)
			s.Regs[i].Values[lane] ^= 1
		})
	}
	for i, r := range t.Final.RAM {
		add(fmt.Sprintf("memory at %#x is", r.addr), func(s *State) {
			s.RAM[i].data = slices.Clone(r.data)
			s.RAM[i].data[0] ^= 0x40
		})
	}
	for i, p := range t.Final.Out {
		add(fmt.Sprintf("output slot %d component %d", p.slot, p.component), func(s *State) { s.Out[i].Mask ^= 1 })
	}
	if t.Final.PC != nil {
		add("pc is", func(s *State) { s.PC[0] ^= 4 })
	}
	running := gather(regsOf(&t.Initial)["exec"])
	if t.Initial.Regs == nil || running == 0 {
		running = 1
	}
	add("have ended", func(s *State) { s.Ended ^= running & -running })
	return list
}

// TestULP: an approximate test permits differences up to its bound, and no larger ones.
func TestULP(t *testing.T) {
	v := NewVerifier(ref.New())
	tried := 0
	for _, test := range readBack(t, v, "v_rcp_f32", made(t, "gcn:gfx8", "v_rcp_f32_e32", Options{Seed: 6, Count: 12})) {
		if test.ULP != 1 {
			t.Fatalf("ulp is %d", test.ULP)
		}
		lane := slices.IndexFunc(test.Final.Regs[0].Values, func(x uint64) bool { return x&0x7f800000 > 0x10000000 && x&0x7f800000 < 0x70000000 })
		if lane < 0 {
			continue
		}
		tried++
		for off, fails := range map[uint64]bool{1: false, 2: true} {
			m := *test
			m.Final.Regs = slices.Clone(m.Final.Regs)
			m.Final.Regs[0].Values = slices.Clone(m.Final.Regs[0].Values)
			m.Final.Regs[0].Values[lane] += off
			if differs, err := v.Verify(&m); err != nil || (differs != "") != fails {
				t.Errorf("%s #%d lane %d: %d ulp off: %q, %v", test.Name, test.Index, lane, off, differs, err)
			}
		}
	}
	if tried < 3 {
		t.Errorf("%d tests were tried", tried)
	}
}
