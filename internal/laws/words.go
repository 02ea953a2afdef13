package laws

import (
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// A Word is an instruction word made from a row.
type Word struct {
	Def  *isa.Def
	Bits bits.Word // including its literal
	Size int       // in bytes
}

// Code returns the bytes of the word, in a slice without spare capacity.
func (w Word) Code() []byte { return w.Bits.Append(make([]byte, 0, 16), w.Size)[:w.Size:w.Size] }

// Inst returns the word as an instruction of its row.
func (w Word) Inst(tg *isa.Target) isa.Inst {
	return isa.Inst{Def: w.Def, Word: w.Bits, Size: uint8(w.Size), Var: uint8(tg.Variant), Stage: uint8(tg.Stage)}
}

// edges are constants at which encodings and semantics change.
var edges = []uint64{0, 1, 64, 65, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0, 0xffffffef, 0x3f000000, 0x3f800000, 0x3e22f983, 0x7fc00000}

// Groups returns the code of groups, in random order, around words of every row of a set whose unit is the group.
func Groups(t testing.TB, tg *isa.Target) (list [][]byte) {
	var b isa.Bundle
	for i := range tg.Defs {
		d := &tg.Defs[i]
		if d.Private || d.Alias {
			continue
		}
		for _, w := range Words(tg, d, Options{Words: 4}) {
			in := w.Inst(tg)
			if !tg.Group.Sample(tg, &in, &b) {
				continue
			}
			code, err := b.Encode(nil)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, code)
		}
	}
	rand.New(rand.NewPCG(7, 41)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// Words makes words of a row: fixed bits set; operands from the samples of their kinds or random; in the last and some
// others the sources equal to the destination if the fields permit it; unclaimed bits set in every other word if the
// row decodes with them. The words depend on the seed, the row, and the stage if rows are legal by stage.
func Words(tg *isa.Target, d *isa.Def, o Options) []Word {
	r := rand.New(rand.NewPCG(o.Seed, uint64(d.ID)))
	ws := make([]Word, o.words())
	for i := range ws {
		for try := range maxTries {
			at := i
			if try > 0 { // other values than in the first try
				at = max(i, 16) + 3*try
			}
			w := word(r, d, at, i == len(ws)-1)
			n := d.EncodedSize(w)
			ws[i] = Word{d, w.And(bits.Low(8 * n)), n}
			if in := ws[i].Inst(tg); d.Check == nil || d.Check(&in) == "" {
				break
			}
		}
	}
	return ws
}

// maxTries limits the search for a word whose fields are legal together.
const maxTries = 1000

// word makes word i of a row.
func word(r *rand.Rand, d *isa.Def, i int, last bool) bits.Word {
	w, same := d.Value(), i >= 16 && i%2 == 0 || last
	if i%2 == 1 && d.Enc.Unclaimed != isa.Zero {
		noise := bits.Word{Lo: r.Uint64(), Hi: r.Uint64()}
		w = w.Or(noise.And(bits.Low(d.Enc.Bits)).AndNot(d.Claimed()))
	}
	var dest *isa.Arg
	for j := range d.Args {
		a := &d.Args[j]
		for k := range a.Parts {
			if p := &a.Parts[k]; len(p.At) > 0 {
				w = p.Put(w, value(r, p.Kind, p.At.Len(), i, i+j+k))
			}
		}
		if len(a.At) == 0 {
			continue
		}
		v := value(r, a.Kind, a.At.Len(), i, i+j)
		if same && dest != nil && a.Role != isa.NoRole {
			v = sameAs(a, dest.Get(w), v)
		}
		if a.Role == isa.Define {
			dest = a
		}
		w = a.Put(w, v)
	}
	if l := d.Enc.Literal; l != nil {
		v := r.Uint64()
		if i%2 == 0 {
			v = edges[i/2%len(edges)]
		}
		w = w.Put(l.At, v)
	}
	return w
}

// value returns a value of a field of n bits for word i: the turn-th of its samples, or of all values of a small field,
// then random ones. Reserved values are skipped.
func value(r *rand.Rand, k *isa.Kind, n, i, turn int) uint64 {
	v := r.Uint64() & bits.Ones(n)
	switch {
	case n <= 4 && i < 16:
		v = uint64(turn) & bits.Ones(n)
	case len(k.Samples) > 0 && i%3 != 2:
		v = k.Samples[turn%len(k.Samples)] & bits.Ones(n)
	}
	for range 1 << min(n, 12) {
		if !reserved(k, v) {
			break
		}
		v = (v + 1) & bits.Ones(n)
	}
	return v
}

func reserved(k *isa.Kind, v uint64) bool { return v < uint64(len(k.Reserved)) && k.Reserved[v] }

// sameAs returns the value of a that prints as a register with the same number as dest, if numbers tell; else v.
func sameAs(a *isa.Arg, dest, v uint64) uint64 {
	if dest <= bits.Ones(a.At.Len()) && !reserved(a.Kind, dest) {
		return dest
	}
	return v
}
