package gcn

import (
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
)

// Operands of interpolation. docs/reference/gcn.md 1 and 7.5.

// maxAttribute is the number of the last attribute; its field holds more.
const maxAttribute = 32

var attrLetter = [4]byte{'x', 'y', 'z', 'w'}

// attribute is attrN.c, the number in six bits above the component.
func (k *kinds) attribute() *isa.Kind { return k.once("attribute", newAttribute) }

func newAttribute() *isa.Kind {
	k := &isa.Kind{Name: "an attribute", Samples: []uint64{0, 1, 6, 11, 128, 255}}
	k.Table = texts(256, func(dst []byte, v int) []byte {
		return append(strconv.AppendInt(append(dst, "attr"...), int64(v>>2), 10), '.', attrLetter[v&3])
	})
	k.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		if !acceptMod(s, "attr") {
			return 0, s.Expect("an attribute such as attr0.x")
		}
		n, ok := s.Uint()
		if ok && n <= 63 && s.Byte('.') {
			for c, letter := range attrLetter {
				if s.Byte(letter) {
					return n<<2 | uint64(c), true
				}
			}
		}
		s.Pos = at
		return 0, s.Expect("an attribute, attr0.x to attr63.w,")
	}
	return k
}

// params are the constants of an attribute in a field of n bits.
func (k *kinds) params(n int) *isa.Kind {
	return k.once("params "+strconv.Itoa(n), func() *isa.Kind { return newParams(n) })
}

func newParams(n int) *isa.Kind {
	k := &isa.Kind{Name: "p10, p20 or p0", Table: make([]string, 1<<n), Samples: []uint64{0, 1, 2}}
	copy(k.Table, []string{"p10", "p20", "p0"})
	k.Reserved = absent(k.Table)
	k.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		for v, t := range k.Table[:3] {
			if s.Accept(t) {
				return uint64(v), true
			}
		}
		return 0, s.Expect(k.Name)
	}
	return k
}
