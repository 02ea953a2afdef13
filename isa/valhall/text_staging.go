package valhall

import (
	"strconv"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Register groups that messages read and write. docs/reference/valhall.md 4.

// maxStaging is the size of the longest group.
const maxStaging = 8

// Parts of a group's operand: its number of registers, and its staging flags.
const (
	partCount = 0
	partFlags = 1
)

// allRegs is the names of registers, separated by colons, extended past the last; regAt is the position of each.
var (
	allRegs []byte
	regAt   [NumR + maxStaging + 1]int
)

// count is the number of registers of a group, which its text implies. stagingUse are the flags of groups, by the value
// that text has.
var (
	count      *isa.Kind
	stagingUse [4]*isa.Kind
)

// fillStaging makes the kinds of groups.
func fillStaging() {
	for i := range regAt {
		regAt[i] = len(allRegs)
		allRegs = append(strconv.AppendInt(append(allRegs, 'r'), int64(i), 10), ':')
	}
	count = &isa.Kind{Name: "how many staging registers there are"}
	for flags := range stagingUse {
		stagingUse[flags] = &isa.Kind{Name: "what is done with staging registers", Canon: func(uint64) uint64 { return uint64(flags) }}
	}
	staged = &isa.Kind{Name: "staging registers", Text: groupText, Parse: parseGroup, Cells: groupCells}
	stagedResult = &isa.Kind{Name: staged.Name, Text: groupText, Parse: parseGroup, Cells: groupCells}
}

// group is the first register of an operand, and the number of registers.
func group(in *isa.Inst, a *isa.Arg) (first, n int) {
	first, n = int(a.Get(in.Word)), int(a.Part(in.Word, partCount))
	switch {
	case a.Kind == stagedResult:
		n++
	case len(a.Parts[partCount].At) == 0: // from the size in the row
		n = rowOf(in).size.words()
	case n == 0 && wraps(in, a):
		n = maxStaging
	}
	return first, n
}

// wraps reports whether a count of 0 is eight registers: for coordinates of textures, from v11 on.
func wraps(in *isa.Inst, a *isa.Arg) bool {
	return rowOf(in).unit == unitT && a.Kind == staged && archOf(in) >= 11
}

// touched is the first register of an operand that the instruction reads or writes, and their number: as many as the
// row transfers; of those that it writes, at most as many as the group has.
func touched(in *isa.Inst, a *isa.Arg) (first, n int) {
	first, n = group(in, a)
	if moves := rowOf(in).moves; moves != nil {
		if m := moves(in, a); a.Role == isa.Use {
			n = m
		} else {
			n = min(n, m)
		}
	}
	return first, min(n, NumR-first)
}

func groupText(_ isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, _ uint64) []byte {
	dst = append(dst, '@')
	if first, n := group(in, a); n > 0 {
		dst = append(dst, allRegs[regAt[first]:regAt[first+n]-1]...)
	}
	return dst
}

// parseGroup reads @ and consecutive registers, separated by colons.
func parseGroup(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
	at, least := s.Pos, uint64(0)
	if a.Kind == stagedResult {
		least = 1
	}
	if !s.Byte('@') {
		return 0, s.Expect("@ and staging registers")
	}
	first, n := uint64(0), uint64(0)
	for s.Peek() == 'r' {
		here := s.Pos
		v, ok := readNumbered(s, 'r', NumR)
		switch {
		case !ok:
			return 0, false
		case n == 0:
			first = v
		case v != first+n:
			return 0, s.Fail(here, isa.ErrOperand, "staging registers follow each other")
		}
		n++
		if next := followers(s.Line[s.Pos:], int(first+n)); next > 0 {
			n += uint64(next)
			s.Pos += regAt[first+n] - regAt[first+n-uint64(next)]
		}
		if most := maxStaging - 1 + least; n > most && !(n == maxStaging && wraps(in, a)) {
			return 0, s.Note(at, isa.ErrRange, "there are at most %n staging registers", "", int(most))
		}
		if !s.Byte(':') {
			break
		}
	}
	if n < least || n == 0 && wraps(in, a) {
		return 0, s.Expect("a staging register")
	}
	if len(a.Parts[partCount].At) == 0 {
		if want := rowOf(in).size.words(); int(n) != want {
			return 0, s.Note(at, isa.ErrOperand, "%t: the size is that of %n registers", "", want)
		}
		return first, true
	}
	return first, s.SetPart(in, a, partCount, (n-least)%maxStaging)
}

// followers is the number of registers from first on that follow in a text, each preceded by a colon, as they are
// printed.
func followers(text string, first int) (n int) {
	for first+n < NumR {
		name := allRegs[regAt[first+n] : regAt[first+n+1]-1]
		end := 1 + len(name)
		if len(text) < end || text[0] != ':' || text[1:end] != string(name) || len(text) > end && text[end] >= '0' && text[end] <= '9' {
			break
		}
		text = text[end:]
		n++
	}
	return n
}

func groupCells(dst []isa.Span, in *isa.Inst, a *isa.Arg, _ uint64) []isa.Span {
	first, n := touched(in, a)
	if n <= 0 {
		return dst
	}
	sp := isa.Span{Cell: ir.Cell{File: FileR, Index: uint16(first)}, N: n}
	if r := rowOf(in); r.part != nil {
		sp.Bytes = r.part(in)
	}
	return append(dst, sp)
}
