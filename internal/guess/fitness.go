package guess

import (
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

// A fitness measures how well bytes follow the rules that all programs of a set follow.
type fitness struct {
	n      int  // number of instructions
	broken int  // instructions that break a rule of the set, or set meaningless bits
	ends   bool // a path ends
	nodes  int  // basic blocks
	fails  int  // basic blocks without an instruction after them
}

// legal reports whether few instructions break rules. Compilers set bits here and there that others leave clear.
func (f *fitness) legal() bool { return 3*f.broken <= f.n }

// program reports whether control flow ends, and hardly ever runs into what is no instruction.
func (f *fitness) program() bool { return f.ends && 8*f.fails <= f.nodes }

// fitnessOf measures code of a target.
func fitnessOf(t *isa.Target, code []byte) (f fitness) {
	var list [3]isa.Bundle // the previous, current and next bundle
	var prev, b *isa.Bundle
	k := 0
	check := func(next *isa.Bundle) {
		if b == nil {
			return
		}
		if f.n++; len(t.Lint(prev, b, next)) > 0 || odd(b) {
			f.broken++
		}
	}
	for off := 0; off < len(code); {
		next := &list[k%3]
		if t.DecodeBundle(code[off:], uint64(off), next) != nil {
			off += max(t.Unit, 1)
			continue
		}
		check(next)
		prev, b = b, next
		off += next.Size()
		k++
	}
	check(nil)
	g := lint.Flow(lint.Code{Target: t, Bytes: code, Guess: true})
	for i := range g.Nodes {
		n := &g.Nodes[i]
		f.nodes++
		f.ends = f.ends || n.Ends
		if n.Fails {
			f.fails++
		}
	}
	return f
}

// odd reports whether a bundle has bits that no assembler would set.
func odd(b *isa.Bundle) bool {
	for i := range b.Parts {
		in := &b.Parts[i]
		if canon := in.Canon(); canon.Word != in.Word {
			return true
		}
	}
	return false
}
