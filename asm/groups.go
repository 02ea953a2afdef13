package asm

import (
	"encoding/binary"
	mathbits "math/bits"
)

// Groups are the counterpart of memory for sets whose instructions come in groups. Entries are found by the bytes of
// a group; the size of the group is looked up by its first four bytes.
type groups struct {
	sizes []begin
	texts []groupText
}

const (
	groupBits = 13 // log2 of the entries
	groupSize = 32 // bytes of the longest group that is cached
)

// A groupText is the text of a group. It has the size of four cache lines.
type groupText struct {
	code [groupSize]byte // padded with zeros
	size uint8           // in bytes; 0: none
	n    uint8
	text [222]byte
}

func newGroups() *groups {
	return &groups{make([]begin, 1<<groupBits), make([]groupText, 1<<groupBits)}
}

// beginning returns the entry for the size of the groups that begin with w.
func (g *groups) beginning(w uint32) *begin {
	return &g.sizes[uint64(w)*0x9e3779b97f4a7c15>>(64-groupBits)]
}

// find returns the text of the group at the start of code, or nil if it is not cached.
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

// keep caches a group and its text, if neither is too long.
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

// placeOf returns the index of the group of the first n bytes, 4 to groupSize, and these bytes as numbers.
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
