package linter

import (
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/toywarp"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

// stacked returns toywarp with the rules about control stacks.
func stacked(t *testing.T) *isa.Target {
	a := toywarp.Arch()
	for _, id := range []string{isa.RuleStackUnder, isa.RuleStackMismatch, isa.RuleStackInner, isa.RuleStackUneven, isa.RuleStackDepth, isa.RuleStackQuad, isa.RuleReturnTop, isa.RuleJoinPlace} {
		a.Rules = append(a.Rules, isa.Rule{ID: id, Severity: isa.SeverityWarning})
	}
	set, err := isa.Compile(a)
	if err != nil {
		t.Fatal(err)
	}
	return set.At(0, toywarp.VP)
}

// TestStack: the rules about control stacks, on a machine independent of the instruction sets.
func TestStack(t *testing.T) {
	tg := stacked(t)
	for src, want := range map[string]string{
		"joinat e\n(p0) bra e\nadd r1, r2, r3\ne: join nop\nexit nop":                                       "",
		"breakaddr e\nt: (p0) break\nbra t\ne: exit nop":                                                    "",
		"breakaddr e\nt: joinat x\n(p0) bra x\nadd r1, r2, r3\nx: join nop\n(p0) break\nbra t\ne: exit nop": "",
		"call f\nexit nop\nf: (p0) ret\nadd r1, r2, r3\nret":                                                "",
		"quadon\nadd r1, r2, r3\nquadpop\nexit nop":                                                         "",
		"quadon\nbra x\nx: quadpop\nexit nop":                                                               "",
		"join nop\nexit nop":                                                                                "0:stack-underflow",
		"break\nexit nop":                                                                                   "0:stack-underflow",
		"(p0) break\nexit nop":                                                                              "0:stack-underflow",
		"quadpop\nexit nop":                                                                                 "0:stack-underflow",
		"(p0) ret\nexit nop":                                                                                "0:return-at-top",
		"call f\nexit nop\nf: join nop\nret":                                                                "10:stack-underflow",
		"breakaddr e\ncall f\ne: exit nop\nf: break\nret":                                                   "18:stack-underflow",
		"joinat e\n(p0) bra x\nexit nop\nx: nop\nnop\nlong nop\ne: nop\nnop\nexit nop":                      "0:join-place",
		"joinat e\njoin nop\ne: join nop\nexit nop":                                                         "8:join-place 10:stack-underflow",
		"breakaddr e\njoin nop\nbreak\ne: exit nop":                                                         "8:stack-mismatch",
		"breakaddr e\njoinat x\nbreak\nx: join nop\ne: exit nop":                                            "10:stack-inner",
		"call f\nexit nop\nf: joinat x\n(p0) ret\nx: join nop\nret":                                         "18:stack-inner",
		"joinat e\nquadon\ne: join nop\nexit nop":                                                           "10:quad-control",
		"quadon\n(p0) bra x\nx: quadpop\nexit nop":                                                          "8:quad-control",
		"quadon\nquadon\nquadpop\nquadpop\nexit nop":                                                        "8:quad-control 18:stack-underflow",
		"t: joinat e\n(p0) bra t\ne: join nop\nexit nop":                                                    "0:stack-uneven",
		"(p0) bra x\njoinat e\nx: nop\nnop\ne: join nop\nexit nop":                                          "10:stack-uneven 18:stack-underflow",
		strings.Repeat("breakaddr e\n", 5) + "break\ne: exit nop":                                           "20:stack-overflow",
		"call f\nexit nop\nf: (p0) call f\nret":                                                             "10:stack-overflow",
		"breakaddr e\nbreakaddr e\ncall f\ne: exit nop\nf: breakaddr x\nbreak\nx: ret":                      "",
		"breakaddr e\nbreakaddr e\nbreakaddr e\ncall f\ne: exit nop\nf: breakaddr x\nbreak\nx: ret":         "28:stack-overflow",
	} {
		a, errs := asm.Assemble(tg, []byte(src), asm.Options{})
		if len(errs) > 0 {
			t.Fatalf("%q: %v", src, errs[0])
		}
		rep := lint.Run(lint.Code{Target: a.Target, Bytes: a.Code}, lint.Options{Least: isa.SeverityWarning})
		var got []string
		for _, f := range rep.Findings {
			if f.Rule != "unreached-code" {
				got = append(got, strconv.FormatUint(f.Addr, 16)+":"+f.Rule)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q%s", src, got, want, listed(rep))
		}
	}
}
