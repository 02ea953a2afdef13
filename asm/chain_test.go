package asm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/all"
)

// TestForwardChain: symbols may be defined by others that follow, over many links; one that depends on itself is an error soon.
func TestForwardChain(t *testing.T) {
	target, err := all.Lookup("gfx803")
	if err != nil {
		t.Fatal(err)
	}
	chain := func(n int, last string) string {
		var b strings.Builder
		b.WriteString(".long a0\n")
		for i := range n {
			fmt.Fprintf(&b, "a%d = a%d+1\n", i, i+1)
		}
		fmt.Fprintf(&b, "a%d = %s\n", n, last)
		return b.String()
	}
	r, errs := asm.Assemble(target, []byte(chain(500, "7")), asm.Options{})
	if len(errs) > 0 || r.Code[0] != byte(507&0xff) || r.Code[1] != 507>>8 {
		t.Fatal(errs)
	}
	_, errs = asm.Assemble(target, []byte(chain(500, "a0")), asm.Options{})
	if len(errs) == 0 || errs[0].Code != isa.ErrSymbol {
		t.Fatal(errs)
	}
}
