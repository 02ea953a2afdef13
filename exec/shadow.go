package exec

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// Undefine makes a shadow one of memory that holds nothing.
func Undefine(shadow []byte) {
	for i := range shadow {
		shadow[i] = 0xff
	}
}

// FillUnset sets all bits of the cells that nothing has set where a wave starts, of a machine with a shadow.
func (st *State) FillUnset() {
	for f, file := range st.Machine.Shadow.Of.Files {
		if file.Unset {
			st.fill(f)
		}
	}
}

// fill sets all bits of the cells of a file.
func (st *State) fill(file int) {
	f, at := &st.Machine.Files[file], st.base[file]
	for i := at; i < at+f.Count; i++ {
		switch f.Kind {
		case ir.Lane32:
			st.given[i/64] |= 1 << (i % 64)
			for k := range st.Lanes {
				st.V[i*st.Stride+k] = ^uint32(0)
			}
		case ir.Lane1:
			st.M[i] = st.Full
		case ir.Wave1:
			st.S[i] = 1
		case ir.Wave32:
			st.S[i] = ^uint32(0)
		}
	}
}

// Undefined is the undefined bits of registers, as far as a program reads them before it writes them.
type Undefined struct {
	rows  []undefinedRow
	words []undefinedWord
	masks []undefinedMask
}

type undefinedRow struct {
	to  int // index of the row
	row [ir.MaxLanes]uint32
}

type undefinedWord struct {
	to int // index in State.S
	is uint32
}

type undefinedMask struct {
	to int // index in State.M
	is uint64
}

// Undefined returns the bits that differ in two states of a machine with a shadow, in which a wave is at its start: of
// registers in files that are Unset, in live lanes, as far as the program, which may be without a shadow, reads them
// before it writes them; nil: all. left are cells that are read at the end of the wave.
func (st *State) Undefined(o *State, p *Program, left ...ir.Cell) *Undefined {
	s, u := st.Machine.Shadow, &Undefined{}
	read := pass.AllCells(s.Of)
	if p != nil {
		end := pass.NewCellSet(p.Machine())
		for _, c := range left {
			end.Add(pass.Span{Cell: c, Count: 1})
		}
		read = p.liveAt(st.At.Key, end).Either()
	}
	for f, file := range s.Of.Files {
		for i := 0; i < file.Count && file.Unset; i++ {
			c := ir.Cell{File: uint8(f), Index: uint16(i)}
			if to, ok := s.Cell(c); ok && read.Has(c) && u.add(st, o, c, st.Index(to)) {
				u.note(st, c)
			}
		}
	}
	return u
}

// note says that some bit of a cell is undefined.
func (u *Undefined) note(st *State, c ir.Cell) {
	some, bit, ok := st.Machine.Shadow.Bit(c)
	if !ok {
		return
	}
	to := st.Index(some)
	at := slices.IndexFunc(u.words, func(x undefinedWord) bool { return x.to == to })
	if at < 0 {
		at, u.words = len(u.words), append(u.words, undefinedWord{to: to})
	}
	u.words[at].is |= bit
}

// add adds the bits of a cell that differ, and reports whether there are any. to is the index of its shadow among cells
// of the kind.
func (u *Undefined) add(st, o *State, c ir.Cell, to int) (any bool) {
	i := st.Index(c)
	switch st.Machine.Kind(c) {
	case ir.Lane32:
		x := undefinedRow{to: to}
		for lane := range st.Lanes {
			if st.Live>>lane&1 != 0 {
				x.row[lane] = st.V[i*st.Stride+lane] ^ o.V[i*st.Stride+lane]
				any = any || x.row[lane] != 0
			}
		}
		if any {
			u.rows = append(u.rows, x)
		}
	case ir.Lane1:
		if d := (st.M[i] ^ o.M[i]) & st.Live; d != 0 {
			u.masks, any = append(u.masks, undefinedMask{to, d}), true
		}
	default:
		if d := st.S[i] ^ o.S[i]; d != 0 {
			u.words, any = append(u.words, undefinedWord{to, d}), true
		}
	}
	return any
}

// Undefine sets the shadow of registers. In st it is zero.
func (st *State) Undefine(u *Undefined) {
	for i := range u.rows {
		x := &u.rows[i]
		st.given[x.to/64] |= 1 << (x.to % 64)
		copy(st.V[x.to*st.Stride:][:st.Lanes], x.row[:])
	}
	for _, x := range u.words {
		st.S[x.to] = x.is
	}
	for _, x := range u.masks {
		st.M[x.to] = x.is
	}
}

// SumShadow sets the bits of ir.Shadowing.Some to what the shadow of registers says.
func (st *State) SumShadow() {
	s := st.Machine.Shadow
	for f, file := range s.Of.Files {
		for i := range file.Count {
			c := ir.Cell{File: uint8(f), Index: uint16(i)}
			some, bit, ok := s.Bit(c)
			if !ok {
				continue
			}
			is, of := st.Get(some, 0)&^bit, ir.Cell{File: uint8(s.Files[f]), Index: c.Index}
			for lane := range st.Lanes {
				if st.Get(of, lane) != 0 {
					is |= bit
				}
			}
			st.Set(some, 0, is)
		}
	}
}
