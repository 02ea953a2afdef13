package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// Register cache of uniform values: they stay in general registers from one step to the next, before or after the loop
// of a segment. Computations of masks and loop counts are long dependency chains of such steps, which would otherwise
// store and reload each word. A word is stored only if it is also read elsewhere.

// holders are the registers of the cache, none of which steps compute in.
var holders = [...]int{1, 2, 6, 8, 11, 15}

// A held is the contents of one register. The zero held is an empty register.
type held struct {
	at   int32 // the word; 0: none. Word 0 is not used
	last int   // the step of its last use
	out  bool  // its word in memory is up to date
}

// holding returns the register that holds a word, -1 if none does.
func (c *compiler) holding(at int32) int {
	for i := range c.held {
		if h := &c.held[i]; h.at == at && at != 0 {
			return i
		}
	}
	return -1
}

// fetch loads a word into a register.
func (c *compiler) fetch(r int, p lower.Place) {
	if i := c.holding(p.At); i >= 0 {
		c.a.Emit(x86.MOV, x86.R64(r), x86.R64(holders[i]))
		return
	}
	c.a.Emit(x86.MOV, x86.R64(r), word(p))
}

// keep records that result k of the current step, at location p, is in register r, and stores it if it is read
// elsewhere.
func (c *compiler) keep(k, r int, p lower.Place) {
	if i := c.holding(p.At); i >= 0 {
		c.held[i] = held{}
	}
	u := c.choices[c.now].uses[k]
	if u.out {
		c.a.Emit(x86.MOV, word(p), x86.R64(r))
	}
	if u.last == 0 {
		return
	}
	i := c.vacate([len(holders)]bool{})
	c.held[i] = held{p.At, u.last, u.out}
	c.a.Emit(x86.MOV, x86.R64(holders[i]), x86.R64(r))
}

// vacate returns a register for a result of the current step: an empty one, one whose value is dead, or else the one
// with the most distant last use; never one of those in keep.
func (c *compiler) vacate(keep [len(holders)]bool) int {
	best := -1
	for i := range c.held {
		if keep[i] {
			continue
		}
		if h := &c.held[i]; h.at == 0 || h.last <= c.now {
			c.held[i] = held{}
			return i
		}
		if best < 0 || c.held[i].last > c.held[best].last {
			best = i
		}
	}
	if h := &c.held[best]; !h.out {
		c.a.Emit(x86.MOV, wordAt(h.at), x86.R64(holders[best]))
	}
	return best
}
