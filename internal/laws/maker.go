package laws

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A Maker makes random code of a target: sequences of bundles from the rows that have semantics and bytes. It must be
// used by one goroutine at a time.
type Maker struct {
	tg       *isa.Target
	c        *checker
	rows     []*isa.Def // rows other than branches
	branches []*isa.Def
}

// makerTries limits the search for a word of a row that decodes.
const makerTries = 20

// NewMaker finds the rows. A target without any fails the test.
func NewMaker(t testing.TB, tg *isa.Target) *Maker {
	m := &Maker{tg: tg, c: newChecker(t, tg, &Report{})}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range tg.Defs {
		d := &tg.Defs[i]
		if !in(d, tg) || d.Alias || d.Private || d.Meaning == nil {
			continue
		}
		if code := m.of(r, d); code == nil {
			continue
		}
		if _, ok := m.target(); ok {
			m.branches = append(m.branches, d)
		} else {
			m.rows = append(m.rows, d)
		}
	}
	if len(m.rows) == 0 {
		t.Fatalf("%s: no row can be run", tg)
	}
	return m
}

// target returns the target of a branch in the maker's bundle, if there is one.
func (m *Maker) target() (to uint64, ok bool) {
	for p := 0; m.tg.Branch != nil && !ok && p < len(m.c.b.Parts); p++ {
		to, ok = m.tg.Branch(&m.c.b, p)
	}
	return to, ok
}

// of returns the code of a bundle with a word of the row, and keeps the bundle in the maker; nil if none was found.
func (m *Maker) of(r *rand.Rand, d *isa.Def) []byte {
	for range makerTries {
		w := word(r, d, r.IntN(60), r.IntN(8) == 0)
		n := d.EncodedSize(w)
		x := Word{d, w.And(bits.Low(8 * n)), n}
		if in := x.Inst(m.tg); d.Check != nil && d.Check(&in) != "" {
			continue
		}
		code := x.Code()
		if sampled(m.tg.Set) {
			if !m.c.sample(x) {
				continue
			}
			var err error
			if code, err = m.c.b.Encode(nil); err != nil {
				continue
			}
		}
		if m.tg.DecodeBundle(code, 0, &m.c.b) == nil && m.c.b.Size() == len(code) {
			return code
		}
	}
	return nil
}

// Sequence makes n bundles. Some are branches, most of which Join can direct to another bundle; a few end the wave, by
// a trap or an end.
func (m *Maker) Sequence(r *rand.Rand, n int) (list [][]byte) {
	for len(list) < n {
		rows := m.rows
		if len(m.branches) > 0 && r.IntN(8) == 0 {
			rows = m.branches
		}
		code := m.of(r, rows[r.IntN(len(rows))])
		if code == nil || m.ends(code) && r.IntN(16) != 0 {
			continue
		}
		list = append(list, code)
	}
	return list
}

// ends reports whether the instruction always ends its wave.
func (m *Maker) ends(code []byte) bool {
	p := &isa.Program{Target: m.tg, Code: code}
	b, err := p.Block(ir.Key{})
	return err != nil || len(b.Marks) == 1 && (b.Term().Op == ir.Trap || b.Term().Op == ir.End)
}

// joinReach is the number of values of a field that Join tries.
const joinReach = 512

// Join returns the code of consecutive bundles from address 0. It directs a branch to one of them if a value near zero
// of one of its fields does so.
func (m *Maker) Join(r *rand.Rand, list [][]byte) (code []byte) {
	starts := map[uint64]bool{}
	at := uint64(0)
	for _, b := range list {
		starts[at] = true
		at += uint64(len(b))
	}
	for _, b := range list {
		code = append(code, m.aimed(r, b, uint64(len(code)), starts)...)
	}
	return code
}

// aimed returns a bundle at pc that branches to one of the starts, if it is a branch and can.
func (m *Maker) aimed(r *rand.Rand, code []byte, pc uint64, starts map[uint64]bool) []byte {
	b := &m.c.b
	if m.tg.DecodeBundle(code, pc, b) != nil {
		return code
	}
	if _, ok := m.target(); !ok {
		return code
	}
	first := r.Uint64N(joinReach)
	for p := range b.Parts {
		for i := range b.Parts[p].Def.Args {
			a := &b.Parts[p].Def.Args[i]
			if len(a.At) == 0 {
				continue
			}
			for k := range uint64(joinReach) {
				v := ((first+k)%joinReach - joinReach/2) & bits.Ones(a.At.Len())
				if made := m.with(code, pc, p, a, v); made != nil {
					if to, ok := m.target(); ok && starts[to] {
						return made
					}
				}
			}
			if m.tg.DecodeBundle(code, pc, b) != nil {
				return code
			}
		}
	}
	return code
}

// with returns the bundle with another value of an operand, decoded into the maker's bundle; nil if it does not decode.
func (m *Maker) with(code []byte, pc uint64, part int, a *isa.Arg, v uint64) []byte {
	b := &m.c.b
	if m.tg.DecodeBundle(code, pc, b) != nil || part >= len(b.Parts) {
		return nil
	}
	b.Parts[part].Word = a.Put(b.Parts[part].Word, v)
	made, err := b.Encode(nil)
	if err != nil || len(made) != len(code) || m.tg.DecodeBundle(made, pc, b) != nil || b.Size() != len(made) {
		return nil
	}
	return bytes.Clone(made)
}
