package exec

import (
	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// Fill sets all bits of the cells of a file.
func (st *State) Fill(file int) {
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

// Undefined returns the bits that differ in two states of a machine with a shadow, in which a wave of the program is at
// its start: of registers in files that are Unset, in live lanes.
func (st *State) Undefined(o *State, p *Program) *Undefined {
	s, u := st.Machine.Shadow, &Undefined{}
	read := p.liveAt(st.At.Key, pass.NewCellSet(p.Machine())).Either()
	for f, file := range s.Of.Files {
		for i := 0; i < file.Count && file.Unset; i++ {
			if to := (ir.Cell{File: uint8(s.Files[f]), Index: uint16(i)}); read.Has(to) {
				u.add(st, o, ir.Cell{File: uint8(f), Index: uint16(i)}, st.Index(to))
			}
		}
	}
	return u
}

// add adds the bits of a cell that differ, if there are any. to is the index of its shadow among cells of the kind.
func (u *Undefined) add(st, o *State, c ir.Cell, to int) {
	i := st.Index(c)
	switch st.Machine.Kind(c) {
	case ir.Lane32:
		x, any := undefinedRow{to: to}, uint32(0)
		for lane := range st.Lanes {
			if st.Live>>lane&1 != 0 {
				x.row[lane] = st.V[i*st.Stride+lane] ^ o.V[i*st.Stride+lane]
				any |= x.row[lane]
			}
		}
		if any != 0 {
			u.rows = append(u.rows, x)
		}
	case ir.Lane1:
		if d := (st.M[i] ^ o.M[i]) & st.Live; d != 0 {
			u.masks = append(u.masks, undefinedMask{to, d})
		}
	default:
		if d := st.S[i] ^ o.S[i]; d != 0 {
			u.words = append(u.words, undefinedWord{to, d})
		}
	}
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
