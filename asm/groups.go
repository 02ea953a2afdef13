package asm

import (
	"encoding/binary"
	mathbits "math/bits"
)

// Groups are what a memory is, for sets whose instructions come in groups. Entries are found by the bytes of a group; how many it
// has is looked up by the first four of them.
type groups struct {
	sizes []begin
	texts []groupText
}

const (
	groupBits = 13 // of a place
	groupSize = 32 // bytes of the longest group that is remembered
)

// A groupText is that of a group, in the size of four cache lines.
type groupText struct {
	code [groupSize]byte // and zeros
	size uint8           // in bytes; 0: none
	n    uint8
	text [222]byte
}

func newGroups() *groups {
	return &groups{make([]begin, 1<<groupBits), make([]groupText, 1<<groupBits)}
}

// beginning is where the size of the groups is kept that begin as w does.
func (g *groups) beginning(w uint32) *begin {
	return &g.sizes[uint64(w)*0x9e3779b97f4a7c15>>(64-groupBits)]
}

// find is the text of the group at the start of code, nil if it is not remembered.
func (g *groups) find(code []byte) *groupText {
	if len(code) < groupSize {
		return nil
	}
	w := binary.LittleEndian.Uint32(code)
	b := g.beginning(w)
	if b.word != w || b.size == 0 || b.size > groupSize {
		return nil
	}
	at, words := placeOf(code, int(b.size))
	if t := &g.texts[at]; t.size == b.size && t.holds(&words) {
		return t
	}
	return nil
}

// keep remembers a group and its text, if neither is too long.
func (g *groups) keep(code, text []byte) {
	n := len(code)
	if n < 4 || n > groupSize || len(text) > len(groupText{}.text) {
		return
	}
	var room [groupSize]byte
	copy(room[:], code)
	w := binary.LittleEndian.Uint32(code)
	*g.beginning(w) = begin{word: w, size: uint8(n)}
	at, _ := placeOf(room[:], n)
	t := &g.texts[at]
	t.code, t.size, t.n = room, uint8(n), uint8(copy(t.text[:], text))
}

// placeOf is the place of the group of the first n bytes, of 4 to groupSize, and these as numbers.
func placeOf(code []byte, n int) (at uint64, words [groupSize / 8]uint64) {
	h := uint64(0)
	for i := 0; i < groupSize/8 && n > 0; i, n = i+1, n-8 {
		w := binary.LittleEndian.Uint64(code[8*i:])
		if n < 8 {
			w &= 1<<(8*uint(n)) - 1
		}
		words[i] = w
		h = (mathbits.RotateLeft64(h, 29) ^ w) * 0x9e3779b97f4a7c15
	}
	return h >> (64 - groupBits), words
}

// holds reports whether the group has these bytes.
func (t *groupText) holds(words *[groupSize / 8]uint64) bool {
	for i, w := range words {
		if binary.LittleEndian.Uint64(t.code[8*i:]) != w {
			return false
		}
	}
	return true
}
