package rogue

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// bankNames are the names of banks, by code; indexed banks have names of their own. docs/reference/rogue.md 4.
var (
	bankNames = [...]string{bankTemp: "r", bankVtxin: "vi", bankCoeff: "cf", bankShared: "sh", bankCoeffAlt: "cfa"}
	idxNames  = [...]string{idxTemp: "r", idxVtxin: "vi", idxCoeff: "cf", idxShared: "sh", idxDynamic: "dc", idxSelf: "idx", idxCoeffAlt: "cfa", idxPixel: "po"}
)

// appendSingle is appendReg for one register in the first dialect.
func appendSingle(dst []byte, r reg) []byte {
	if r.bank < bankIdx0 && r.n < knownRegs {
		x, n := regTexts[r.bank][r.n], len(dst)
		if cap(dst)-n >= 8 {
			binary.LittleEndian.PutUint64(dst[n:n+8], x)
			return dst[:n+int(x>>56)]
		}
	}
	return appendReg(dst, r, 1, PCO)
}

// knownRegs is the number of registers of a bank whose names are in regTexts.
const knownRegs = 256

// regTexts are the names of registers by bank and number, as little-endian text with its length in the top byte. link
// makes them.
var regTexts [bankIdx0][knownRegs]uint64

// appendReg appends the name of a register, or of several consecutive ones.
func appendReg(dst []byte, r reg, several, dialect int) []byte {
	name, n, index := "", int(r.n), -1
	switch {
	case r.bank == bankNone:
		return append(dst, "a register behind the last"...)
	case r.bank >= bankIdx0 && r.n == idxSelf:
		name, n = "idx", int(r.bank-bankIdx0)
	case r.bank >= bankIdx0:
		bank, offset, _ := r.indexed()
		name, n, index = idxNames[bank], int(offset), int(r.bank-bankIdx0)
	case r.bank == bankSpecial:
		name, n = specialName(r.n, dialect)
	default:
		name = bankNames[r.bank]
	}
	dst = append(dst, name...)
	if several > 1 && dialect == Mesa24 && index < 0 {
		dst = append(strconv.AppendInt(append(dst, '['), int64(n), 10), ".."...)
		return append(strconv.AppendInt(dst, int64(n+several-1), 10), ']')
	}
	dst = strconv.AppendInt(dst, int64(n), 10)
	if index >= 0 {
		dst = append(strconv.AppendInt(append(dst, "[idx"...), int64(index), 10), ']')
	}
	if several > 1 && dialect == PCO && index < 0 {
		dst = strconv.AppendInt(append(dst, ".."...), int64(n+several-1), 10)
	}
	return dst
}

// specialName is the name of number n of the special bank.
func specialName(n uint16, dialect int) (string, int) {
	switch {
	case dialect == Mesa24:
		return "sr", int(n)
	case isConstant(n) && dialect == Seed:
		return "c", int(n)
	case isConstant(n):
		return "sc", int(n)
	case n < specialInternal:
		return "po", int(n - specialPixel)
	case n < specialInternal+numInternal:
		return "i", int(n - specialInternal)
	case n >= specialGlobal && n < specialGlobal+numGlobals:
		return "g", int(n - specialGlobal)
	case n >= specialPixel4 && n < specialPixel4+numPixels/2:
		return "po", int(n-specialPixel4) + numPixels/2
	}
	return "sr", int(n)
}

// maxNumber is one more than the highest number in a map.
const maxNumber = 1 << 11

// A nameClass is a register name without its number, and the bank that it denotes.
type nameClass struct {
	name  string
	bank  uint8
	first int // of the special bank
	limit int
}

// nameClasses are the names that are read; longer ones precede those that they begin with.
var nameClasses = [...]nameClass{
	{"vin", bankVtxin, 0, maxNumber}, {"vi", bankVtxin, 0, maxNumber}, {"cfa", bankCoeffAlt, 0, maxNumber}, {"cf", bankCoeff, 0, maxNumber}, {"sh", bankShared, 0, maxNumber},
	{"sc", bankSpecial, 0, maxNumber}, {"sr", bankSpecial, 0, maxNumber}, {"po", bankSpecial, specialPixel, numPixels}, {"sl", bankSpecial, specialInternal, numInternal},
	{"si", bankSpecial, specialInternal, numInternal}, {"idx", bankIdx0, 0, numIndex}, {"r", bankTemp, 0, maxNumber}, {"i", bankSpecial, specialInternal, numInternal},
	{"o", bankSpecial, specialPixel, numPixels}, {"g", bankSpecial, specialGlobal, numGlobals}, {"c", bankSpecial, 0, maxNumber}, {"dc", bankIdx0, 0, 256},
}

// readReg reads the name of a register: r4, sh[4..7], r4..7, r4[idx0]. several is the number of registers named; 0 if
// the text names a single one.
func readReg(s *isa.Scan) (r reg, several int, ok bool) {
	at := s.Pos
	word := s.Word()
	if n, ok := specialNumbers()[strings.ToLower(word)]; ok {
		s.Pos += len(word)
		return reg{bankSpecial, n}, 0, true
	}
	letters := 0
	for letters < len(word) && (word[letters]|0x20 >= 'a' && word[letters]|0x20 <= 'z') {
		letters++
	}
	class := findClass(strings.ToLower(word[:letters]))
	if class == nil {
		return r, 0, s.Expect("a register")
	}
	s.Pos += letters
	bracket := s.Byte('[')
	n, ok := s.Uint()
	if !ok {
		return r, 0, s.Fail(at, isa.ErrOperand, "a register has a number")
	}
	first := n
	if strings.HasPrefix(s.Line[s.Pos:], "..") {
		s.Pos += 2
		last, ok := s.Uint()
		if !ok || last < n {
			return r, 0, s.Fail(at, isa.ErrOperand, "a range of registers ends with the number of the last")
		}
		several = int(last-n) + 1
	}
	if bracket && !s.Byte(']') {
		return r, 0, s.Expect(`"]"`)
	}
	if limit := class.limit; int(first) >= limit && (first > 255 || !strings.HasPrefix(strings.ToLower(s.Line[s.Pos:]), "[idx")) {
		return r, 0, s.Failf(at, isa.ErrRange, "there are %s0 to %s%d", class.name, class.name, class.limit-1)
	}
	return class.register(s, at, uint16(first), several, bracket)
}

// readOne reads the name of one register; a range is an error.
func readOne(s *isa.Scan) (r reg, ok bool) {
	at := s.Pos
	r, several, ok := readReg(s)
	if ok && several > 1 {
		return r, s.Failf(at, isa.ErrOperand, "%d registers are named where one is expected", several)
	}
	return r, ok
}

func findClass(letters string) *nameClass {
	for i := range nameClasses {
		if nameClasses[i].name == letters {
			return &nameClasses[i]
		}
	}
	return nil
}

// register is number n of the class, or the indexed register there.
func (c *nameClass) register(s *isa.Scan, at int, n uint16, several int, bracket bool) (reg, int, bool) {
	if !bracket && strings.HasPrefix(strings.ToLower(s.Line[s.Pos:]), "[idx") {
		return c.behind(s, at, n)
	}
	switch {
	case c.name == "dc":
		return reg{}, 0, s.Fail(at, isa.ErrOperand, "dynamic constants stand behind an index register: dc4[idx0]")
	case c.name == "idx" && n < numIndex:
		return reg{bankIdx0 + uint8(n), idxSelf}, several, true
	case c.first == specialInternal && c.name != "i":
		return reg{bankSpecial, specialInternal + numInternal - 1 - n}, several, true
	case c.first == specialPixel && n >= numPixels/2:
		return reg{bankSpecial, specialPixel4 + n - numPixels/2}, several, true
	}
	return reg{c.bank, uint16(c.first) + n}, several, true
}

// behind reads the [idx0] of an indexed register.
func (c *nameClass) behind(s *isa.Scan, at int, offset uint16) (reg, int, bool) {
	bank := -1
	for i, name := range idxNames {
		if name == c.name || name == "po" && c.name == "o" || name == "vi" && c.name == "vin" {
			bank = i
		}
	}
	if bank < 0 {
		return reg{}, 0, s.Fail(at, isa.ErrOperand, c.name+" cannot be indexed")
	}
	s.Pos += len("[idx")
	n, ok := s.Uint()
	if !ok || n >= numIndex {
		return reg{}, 0, s.Fail(at, isa.ErrRange, "there are idx0 and idx1")
	}
	if s.Byte(',') {
		s.Space()
		unit := 1 << s.Target.Option(optIndexUnit)
		if d, ok := s.Uint(); !ok || int64(d) != int64(unit) {
			return reg{}, 0, s.Failf(at, isa.ErrOperand, "the dimension of an index is %d here: no public encoding holds one, so it is the same of all, as option index-unit says", unit)
		}
	}
	if !s.Byte(']') {
		return reg{}, 0, s.Expect(`"]"`)
	}
	return reg{bankIdx0 + uint8(n), uint16(bank) | offset<<3}, 0, true
}

// registerText is the name of a register for messages, with the name of what it holds if there is one.
func registerText(r reg) string {
	text := string(appendReg(nil, r, 1, PCO))
	if r.bank == bankSpecial && int(r.n) < len(specialNames) && specialNames[r.n] != "" {
		text += " (" + specialNames[r.n] + ")"
	}
	return text
}
