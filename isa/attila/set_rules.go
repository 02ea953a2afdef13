package attila

import "github.com/heddle-gpu/heddle/isa"

// Rules that validate checks.
const (
	ruleRegister = "no-such-register"
	ruleRelative = "all-constants-relative"
)

// rules are the rules that programs must obey.
var rules = []isa.Rule{
	{ID: ruleRegister, Doc: "The registers that an instruction names exist.", Source: "docs/reference/attila.md 3", Example: "add r40, i0, i1 <- end"},
	{ID: ruleRelative, Doc: "An instruction with relative addressing reads one constant register: the address is added to all of them.",
		Source: "docs/reference/attila.md 7", Example: "add r0, c0[a0.x + 1], c1[a0.x + 1] <- end"},
}
