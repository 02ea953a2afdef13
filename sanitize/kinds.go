package sanitize

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// kinds is what the probes of a check tell, by their kind: the first of them has the number first.
type kinds[T any] []T

// add makes a kind of probe.
func (k *kinds[T]) add(first uint64, x T) uint64 {
	*k = append(*k, x)
	return first + uint64(len(*k)) - 1
}

// of returns what a probe of that kind tells; nil: it is not of the check.
func (k kinds[T]) of(first, kind uint64) *T {
	if kind < first || kind-first >= uint64(len(k)) {
		return nil
	}
	return &k[kind-first]
}

// kept is the code that a check makes of a launch's. It stays for the next launch, as what engines compile of it does.
type kept struct {
	from    ir.Code
	program *exec.Program
}

// of returns what is made of the code: as the last time, or by rewrite.
func (k *kept) of(code ir.Code, rewrite func() ir.Code) *exec.Program {
	if k.from != code {
		k.from, k.program = code, exec.NewProgram(rewrite())
	}
	return k.program
}
