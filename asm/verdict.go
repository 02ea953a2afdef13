package asm

// A bitset has a bit for each of a run of numbers from 0 up.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b bitset) add(i int)      { b[i/64] |= 1 << (i % 64) }

// verdicts remember, by the bytes of an instruction, whether its text assembles to them. Code says the same again and again,
// and parsing is most of the work of an exact listing. Of two instructions that fall into one place the later one stays.
type verdicts [1 << 15]verdict

type verdict struct {
	lo, hi uint64 // the bytes
	size   uint8
	exact  bool
}

// of is where the verdict of an instruction with these bytes is kept, and whether that is there.
func (v *verdicts) of(lo, hi uint64, size int) (at *verdict, ok bool) {
	h := (lo ^ hi<<1 ^ uint64(size)<<60) * 0x9e3779b97f4a7c15
	at = &v[h>>49]
	return at, at.size == uint8(size) && at.lo == lo && at.hi == hi
}

// remembered is same for the text from offset at of the buffer on, of one instruction. What depends on its address, a
// branch, is not remembered: its text has a label, or a distance.
func (l *lister) remembered(at int, code []byte, addr uint64) bool {
	in := &l.bundle.Parts[0]
	if l.target.Branch != nil {
		if _, ok := l.target.Branch(&l.bundle, 0); ok {
			return l.same(string(l.buf[at:]), code, addr)
		}
	}
	v, ok := l.known.of(in.Word.Lo, in.Word.Hi, int(in.Size))
	if !ok {
		*v = verdict{in.Word.Lo, in.Word.Hi, in.Size, l.same(string(l.buf[at:]), code, addr)}
	}
	return v.exact
}
