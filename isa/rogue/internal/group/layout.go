package group

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// inMemory is the position of a class in the order of memory.
var inMemory = [NumClasses]int8{Header: 0, Control: 0, Backend: 1, Move: 2, Test: 3, Pack: 4, Shift2: 2, BitTest: 3,
	Logical: 4, P1: 5, P0: 6, P0Elements: 6, Bitmask: 6, Shift1: 7, Count: 8, Lower: 9, Upper: 10, Selectors: 11, Dest: 12, Dest2: 12}

// ownBits are the bits that each view owns in the byte it shares. docs/reference/rogue.md 3.
var ownBits = [NumClasses]bits.Word{Shift1: {Lo: 0x0c}, Count: {Lo: 0x62}, BitTest: {Lo: 0x38}}

// Sort sorts parts into the order of memory.
func Sort(parts []isa.Inst) {
	slices.SortStableFunc(parts, func(x, y isa.Inst) int { return int(inMemory[x.Def.Class]) - int(inMemory[y.Def.Class]) })
}

// Layout completes a bundle whose parts are in the order of memory: views, addresses, at least atLeast bytes of
// padding, and what the header says of sizes. It returns what is wrong.
func Layout(b *isa.Bundle, addr uint64, atLeast int) (msg string) {
	share(b)
	size, assist := 0, 0
	for i := range b.Parts {
		in := &b.Parts[i]
		c := in.Def.Class
		in.Addr = addr + uint64(size)
		if IsView(c) {
			in.Addr = base(b, i).Addr
		}
		size += int(in.Size)
		if phase := PhaseOf(c); c == Header || BitPhaseOf(c) != 0 || phase == HasP2 || phase == HasBackend || c == Control && IsMapped(in.Def) {
			assist = size
		}
	}
	b.Pad = uint8(max(size&1, atLeast))
	if size += int(b.Pad); size&1 != 0 {
		b.Pad++
		size++
	}
	if size > MaxBytes && !b.Private() {
		return fmt.Sprintf("a group of %d bytes; %d are possible", size, MaxBytes)
	}
	w := &b.Parts[0].Word
	w.Lo = w.Lo&^(lengthBits|15<<assistShift) | uint64(size/2)&lengthBits | uint64(assist)&15<<assistShift
	return ""
}

// share merges the bits of units that share a byte, and copies the byte to all of them.
func share(b *isa.Bundle) {
	for i := range b.Parts {
		if i+1 == len(b.Parts) || IsView(b.Parts[i].Def.Class) || !IsView(b.Parts[i+1].Def.Class) {
			continue
		}
		base := &b.Parts[i]
		for j := i + 1; j < len(b.Parts) && IsView(b.Parts[j].Def.Class); j++ {
			if b.Parts[j].Def.Private {
				continue
			}
			own := ownBits[b.Parts[j].Def.Class]
			base.Word = base.Word.AndNot(own).Or(b.Parts[j].Word.And(own))
		}
		for j := i + 1; j < len(b.Parts) && IsView(b.Parts[j].Def.Class); j++ {
			b.Parts[j].Size = 0
			if !b.Parts[j].Def.Private { // a private view has bits of its own
				b.Parts[j].Word = base.Word.First(1)
			}
		}
	}
}

// base is the part whose bytes a view shares.
func base(b *isa.Bundle, i int) *isa.Inst {
	for IsView(b.Parts[i].Def.Class) {
		i--
	}
	return &b.Parts[i]
}

// padOne is the byte of padding that precedes an even address.
const padOne = 0xff

// Pad appends n bytes of padding: FF up to an even address, then F0 + words, FF ...
func Pad(dst []byte, n int) []byte {
	if n&1 != 0 {
		dst = append(dst, padOne)
	}
	if n /= 2; n == 0 {
		return dst
	}
	dst = append(dst, 0xf0|byte(n), 0xff)
	for range n - 1 {
		dst = append(dst, 0xff, 0xff)
	}
	return dst
}

// padded reports whether bytes are padding.
func padded(left []byte) bool {
	if len(left) == 1 {
		return left[0] == padOne
	}
	var want [MaxBytes]byte
	return slices.Equal(Pad(want[:0], len(left)), left)
}
