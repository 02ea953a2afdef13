package laws

import (
	"math/rand/v2"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// A Word is an instruction word made from a row.
type Word struct {
	Def  *isa.Def
	Bits bits.Word // with its literal
	Size int       // bytes
}

// Code is the bytes of the word; the slice has no room behind them.
func (w Word) Code() []byte { return w.Bits.Append(make([]byte, 0, 16), w.Size)[:w.Size:w.Size] }

// Inst is the word as an instruction of its row.
func (w Word) Inst(variant int) isa.Inst {
	return isa.Inst{Def: w.Def, Word: w.Bits, Size: uint8(w.Size), Var: uint8(variant)}
}

// edges are constants at which encodings and meanings change.
var edges = []uint64{0, 1, 64, 65, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0, 0xffffffef, 0x3f000000, 0x3f800000, 0x3e22f983, 0x7fc00000}

// Words makes words of a row: its fixed bits set, operands from the samples of their kinds or random, in the last and
// some others the sources equal to the destination where the fields allow it, and unclaimed bits set in every other if
// the row decodes with them. They depend on the seed and the row only.
func Words(d *isa.Def, o Options) []Word {
	r := rand.New(rand.NewPCG(o.Seed, uint64(d.ID)))
	ws := make([]Word, o.words())
	for i := range ws {
		w, same := d.Value(), i >= 16 && i%2 == 0 || i == len(ws)-1
		if i%2 == 1 && d.Enc.Unclaimed != isa.Zero {
			noise := bits.Word{Lo: r.Uint64(), Hi: r.Uint64()}
			w = w.Or(noise.And(bits.Low(d.Enc.Bits)).AndNot(d.Claimed()))
		}
		var dest *isa.Arg
		for j := range d.Args {
			a := &d.Args[j]
			if a.At == nil {
				continue
			}
			v := operand(r, a, i, i+j)
			if same && dest != nil && a.Role != isa.NoRole {
				v = sameAs(a, dest.Get(w), v)
			}
			if a.Role == isa.Define {
				dest = a
			}
			w = a.Put(w, v)
			for _, b := range []uint8{a.Neg, a.Abs, a.Sext} {
				if b != 0 {
					w = w.Put(bits.Range{Lo: b, Hi: b}, r.Uint64()&1)
				}
			}
		}
		if l := d.Enc.Literal; l != nil {
			v := r.Uint64()
			if i%2 == 0 {
				v = edges[i/2%len(edges)]
			}
			w = w.Put(l.At, v)
		}
		n := d.EncodedSize(w)
		ws[i] = Word{d, w.And(bits.Low(8 * n)), n}
	}
	return ws
}

// operand is a value of the operand's field for word i: the turn-th of its samples, or of all values of a small
// field, then random ones. Reserved values are passed over.
func operand(r *rand.Rand, a *isa.Arg, i, turn int) uint64 {
	n := a.At.Len()
	v := r.Uint64() & bits.Ones(n)
	switch {
	case n <= 4 && i < 16:
		v = uint64(turn) & bits.Ones(n)
	case len(a.Kind.Samples) > 0 && i%3 != 2:
		v = a.Kind.Samples[turn%len(a.Kind.Samples)] & bits.Ones(n)
	}
	for range 1 << min(n, 12) {
		if !reserved(a, v) {
			break
		}
		v = (v + 1) & bits.Ones(n)
	}
	return v
}

func reserved(a *isa.Arg, v uint64) bool {
	return v < uint64(len(a.Kind.Reserved)) && a.Kind.Reserved[v]
}

// sameAs is the value of a that prints as a register of the same number, so far as numbers can tell; else v.
func sameAs(a *isa.Arg, dest, v uint64) uint64 {
	if dest <= bits.Ones(a.At.Len()) && !reserved(a, dest) {
		return dest
	}
	return v
}
