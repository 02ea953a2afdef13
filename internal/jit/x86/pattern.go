package x86

import (
	"strings"
	"sync"
)

// places are those of operands, by the letter in a row.
var places = sync.OnceValue(func() map[byte]place {
	return map[byte]place{
		'E': inRM, 'R': inRM, 'M': inRM, 'W': inRM, 'U': inRM, 'J': inRM, 'O': inRM,
		'G': inReg, 'V': inReg, 'P': inReg, 'B': inVVVV, 'H': inVVVV, 'Q': inVVVV, 'L': inIs4, 'Z': inOpcode,
		'A': inNothing, 'C': inNothing, '1': inNothing, 'I': inImm, 'T': inRel,
	}
})

// operand returns the pattern of one word of row.args. size is that of v and y.
func (r row) operand(in *inst, word string, size uint8) pattern {
	at, ok := places()[word[0]]
	if !ok {
		r.fail("operand " + word)
	}
	letter, bytes, has := strings.Cut(word[1:], "/")
	p := pattern{place: at, fixed: none}
	switch word[0] {
	case 'E', 'R', 'G', 'B', 'Z', 'A', 'C':
		r.general(in, &p, word[0], letter, size)
	case 'W', 'U', 'V', 'H', 'L':
		p.kinds, p.mem = r.vector(in.l, letter)
		if word[0] == 'W' {
			p.kinds |= memory
		}
	case 'J':
		p.kinds, p.mem = r.vector(in.l, letter)
		p.kinds *= vsibX / vx
		has = true
		in.unit = r.number(bytes, 10, 8)
		p.mem, bytes = in.unit, ""
	case 'P', 'Q', 'O':
		p.kinds = kreg
		if has {
			p.kinds |= memory
		}
	case 'M':
		p.kinds = memory
		if strings.Contains("xhqeo", letter) && letter != "" {
			_, p.mem = r.vector(in.l, letter)
		} else {
			p.mem = r.number(letter, 10, 64)
		}
	case 'I', '1', 'T':
		r.immediate(in, &p, word, size)
	}
	if has && bytes != "" {
		p.mem = r.number(bytes, 10, 64)
	}
	return p
}

func (r row) general(in *inst, p *pattern, at byte, letter string, size uint8) {
	switch letter {
	case "v", "y":
	case "b":
		size = 1
	case "w":
		size = 2
	case "d":
		size = 4
	case "q":
		size = 8
	case "": // cl
		size = 1
	default:
		r.fail("size " + letter)
	}
	switch size {
	case 1:
		p.kinds = r8
	case 2:
		p.kinds = r16
	case 4:
		p.kinds = r32
	case 8:
		p.kinds = r64
	}
	p.mem = size
	switch at {
	case 'E':
		p.kinds |= memory
	case 'A':
		p.fixed = 0
	case 'C':
		p.fixed = 1
		return // the size is that of the other operand
	}
	if in.osize == 0 || at == 'G' {
		in.osize = size
	}
}

// vector returns the register kind of a size letter at a length, and its bytes in memory.
func (r row) vector(l uint8, letter string) (kind, uint8) {
	bytes := uint8(16) << l
	switch letter {
	case "x":
	case "h":
		bytes /= 2
	case "q":
		bytes /= 4
	case "e":
		bytes /= 8
	case "o":
		bytes = 16
	default:
		r.fail("size " + letter)
	}
	switch {
	case bytes <= 16:
		return vx, bytes
	case bytes == 32:
		return vy, bytes
	}
	return vz, bytes
}

func (r row) immediate(in *inst, p *pattern, word string, size uint8) {
	if size == 0 {
		size = in.osize
	}
	p.kinds = imm
	switch word {
	case "1":
		p.fixed = 1
		return
	case "T":
		p.kinds = target
		return
	case "Ib", "Is":
		p.imm = 1
	case "Iw":
		p.imm = 2
	case "Id":
		p.imm = 4
	case "Iq":
		p.imm = 8
	case "Iz":
		p.imm = min(size, 4)
	default:
		r.fail("immediate " + word)
	}
	if word == "Is" || word == "Iz" {
		p.fixed = 0 // of the operand's size, sign-extended
	}
}
