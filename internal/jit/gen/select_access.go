package gen

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/internal/lower"
)

// byVectors reports whether an access runs by iterations of 16 lanes, with vectors of 512 bits.
func (p *plan) byVectors(s *lower.Step) bool {
	k, n := s.TransferKind, s.Count
	switch {
	case !p.wide() || p.b.Lanes%16 != 0 || bits.OnesCount64(s.Access.Bytes) != 1:
		return false
	case k.Do == lower.CheckOnly:
		return true
	}
	return k.Bytes == 4 && !k.Wide && (n == 1 || n == 2 || n == 4) || k.Bytes == 8 && n == 1
}

// jointLoads finds loads that are emitted together: those of an instruction that loads from several addresses.
func (k *selector) jointLoads() {
	for i := 0; k.whole && i < len(k.b.Steps); i++ {
		if n := k.loadsAt(i); n > 0 {
			k.choices[i].joint = int32(n)
			i += 2*n - 1
		}
	}
}

// loadsAt returns how many loads follow as many checks of the same instruction from step i on.
func (k *selector) loadsAt(i int) int {
	steps, n := k.b.Steps[i:], 0
	for n < len(steps) && steps[n].Kind == lower.MemoryAccess && steps[n].TransferKind.Do == lower.CheckOnly {
		n++
	}
	if n == 0 || n > maxJointLoads || len(steps) < 2*n {
		return 0
	}
	vectors := 0
	for m := range n {
		check, load := &steps[m], &steps[n+m]
		if load.Kind != lower.MemoryAccess || load.TransferKind.Do != lower.LoadElems || check.Imm != 0 || check.Args[0] != load.Args[0] ||
			check.Mask != load.Mask || load.Mask != steps[0].Mask || !sameBytes(&check.Access, &load.Access) || k.choices[i+n+m].form != formVectors {
			return 0
		}
		vectors += k.b.Lanes / 16 * int(load.Access.Bytes) / 4
	}
	if vectors > maxJointVectors {
		return 0
	}
	return n
}

// sameBytes reports whether two accesses with the same addresses access the same bytes.
func sameBytes(x, y *lower.Access) bool {
	return x.Space == y.Space && x.Bank == y.Bank && x.Bytes == y.Bytes && x.Align == y.Align && x.Full == y.Full
}

// accessForm returns the form of an access.
func (p *plan) accessForm(s *lower.Step) form {
	switch {
	case s.Site == 0:
		return formNone
	case s.TransferKind.Do == lower.AtomicElem && atomics[s.Atomic].next == nil:
		return formNone
	case s.Mask.Kind == 0 && s.Args[0].Kind == lower.InWord:
		return formLoadOnce
	case s.Args[0].Kind != lower.InRow && s.Args[0].Kind != lower.InVec || s.Mask.Kind == 0:
		return formNone
	case s.TransferKind.Do == lower.AtomicElem:
		return formAtomic
	case p.byVectors(s):
		return formVectors
	}
	return formLanes
}
