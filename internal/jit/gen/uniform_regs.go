package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// Uniform values stay in general registers from one step to the next, before or after the loop of a segment.
// Computations of masks and loop counts are long dependency chains of such steps, which would otherwise store and
// reload each word. A word is stored only if it is also read elsewhere.

// wordRegs are the numbers of the registers, none of which steps compute in.
var wordRegs = [...]int{1, 2, 6, 8, 11, 15}

// A wordPolicy evicts the word with the most distant last use.
type wordPolicy struct{ c *uniformEmitter }

func (p wordPolicy) evictCost(r *register) int {
	if r.last <= p.c.now {
		return 0
	}
	return len(p.c.choices) + 1 - r.last
}

func (p wordPolicy) spill(i int) bool {
	r := &p.c.words.regs[i]
	if r.dirty {
		p.c.a.Emit(x86.MOV, word(r.loc), x86.R64(wordRegs[i]))
	}
	return r.dirty
}

// register returns the register that holds a word, -1 if none does.
func (c *uniformEmitter) register(p lower.Place) int {
	if i := c.words.find(wordOf(p)); i >= 0 {
		return wordRegs[i]
	}
	return -1
}

// load loads a word into a register.
func (c *uniformEmitter) load(r int, p lower.Place) {
	c.a.Emit(x86.MOV, x86.R64(r), c.source(p, 64))
}

// source returns a word as an operand: its register, or memory.
func (c *uniformEmitter) source(p lower.Place, n int) x86.Operand {
	if r := c.register(p); r >= 0 {
		return x86.G(n, r)
	}
	return word(p).Size(n / 8)
}

// wordInRegister returns a register with the word: its own, or rax.
func (c *uniformEmitter) wordInRegister(p lower.Place) int {
	if r := c.register(p); r >= 0 {
		return r
	}
	c.load(rax, p)
	return rax
}

// dies reports whether the current step is the last to read the word in its register.
func (c *uniformEmitter) dies(p lower.Place) bool {
	i := c.words.find(wordOf(p))
	return i >= 0 && c.words.regs[i].last <= c.now
}

// staysInRegister reports whether result k of the current step is read again in the same phase.
func (c *uniformEmitter) staysInRegister(k int) bool { return c.choices[c.now].uses[k].last != 0 }

// resultWord returns a register for result k of the current step: rax if it does not stay in one. The registers of the
// words in pinned are still read.
func (c *uniformEmitter) resultWord(k int, pinned ...lower.Place) int {
	if !c.staysInRegister(k) {
		return rax
	}
	var pins uint32
	for _, p := range pinned {
		if i := c.words.find(wordOf(p)); i >= 0 {
			pins |= 1 << i
		}
	}
	return wordRegs[c.words.alloc(pins)]
}

// define records that result k of the current step, at p, is in a register that resultWord has returned, or in that of
// a dead operand.
func (c *uniformEmitter) define(k, r int, p lower.Place) {
	c.words.drop(wordOf(p))
	c.storeWord(k, r, p)
	for i := range wordRegs {
		if wordRegs[i] == r {
			c.assignWord(i, k, p)
		}
	}
}

// keep records that result k of the current step, at p, is in a register in which steps compute.
func (c *uniformEmitter) keep(k, r int, p lower.Place) {
	c.words.drop(wordOf(p))
	c.storeWord(k, r, p)
	if c.staysInRegister(k) {
		i := c.words.alloc(0)
		c.assignWord(i, k, p)
		c.a.Emit(x86.MOV, x86.R64(wordRegs[i]), x86.R64(r))
	}
}

// storeWord stores a result in a register if it is read elsewhere.
func (c *uniformEmitter) storeWord(k, r int, p lower.Place) {
	if c.choices[c.now].uses[k].out {
		c.a.Emit(x86.MOV, word(p), x86.R64(r))
	}
}

func (c *uniformEmitter) assignWord(i, k int, p lower.Place) {
	u := c.choices[c.now].uses[k]
	c.words.assign(i, register{loc: wordOf(p), last: u.last, dirty: !u.out})
}
