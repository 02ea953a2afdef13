package listing

import (
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Routing that a listing leaves open: which source a register becomes if no operand position implies it.
// docs/reference/rogue.md 9.

// slots are the sources in the order in which such registers get them: the order of the codes of IS0.
var slots = [6]uint8{0, 3, 4, 5, 1, 2}

// Sources 1, 4 and 5 hold registers of the first banks alone, with small numbers.
const (
	narrowBanks   = 4
	narrowNumbers = 256
)

// fits reports whether source n can hold a register. docs/reference/rogue.md 2.
func fits(n int, x group.Operand) bool {
	if n == 1 || n == 4 || n == 5 {
		return x.Bank() < narrowBanks && x.Number() < narrowNumbers
	}
	return true
}

// Slot is the source that a register becomes: one that holds it already, or the first free one that can hold it.
func Slot(src *[6]group.Operand, taken uint8, x group.Operand) (n int, ok bool) {
	for _, n := range slots {
		if taken>>n&1 != 0 && src[n] == x {
			return int(n), true
		}
	}
	for _, n := range slots {
		if taken>>n&1 == 0 && fits(int(n), x) {
			return int(n), true
		}
	}
	return 0, false
}

// Spread assigns sources to the registers of a sum of products, which may be any. Registers that few sources can hold
// come first.
func Spread(src *[6]group.Operand, taken *uint8, list []group.Operand) (at []uint8, ok bool) {
	at = make([]uint8, len(list))
	for _, few := range [...]bool{true, false} {
		for i, x := range list {
			if fits(1, x) == few {
				continue
			}
			n, ok := Slot(src, *taken, x)
			if !ok {
				return at, false
			}
			src[n], at[i] = x, uint8(n)
			*taken |= 1 << n
		}
	}
	return at, true
}

// known is set in the scratch of a scan for a source whose register is known.
const known = 1 << 63

// Pick records that source n of the group that is read is a register.
func Pick(s *isa.Scan, n int, x group.Operand) { s.Scratch[n] = known | uint64(x) }

// Picked returns the registers of the sources, and which of them are known, as bits.
func Picked(s *isa.Scan) (src [6]group.Operand, taken uint8) {
	for n := range src {
		if v := s.Scratch[n]; v != 0 {
			src[n] = group.Operand(v)
			taken |= 1 << n
		}
	}
	return src, taken
}
