package gcn

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// longNames are instructions with a constant of 32 bits that replace those with one of 16.
var longNames = [...]struct{ short, long string }{
	{"s_movk_i32", "s_mov_b32 %[1]s, %[2]s"}, {"s_cmovk_i32", "s_cmov_b32 %[1]s, %[2]s"},
	{"s_addk_i32", "s_add_i32 %[1]s, %[1]s, %[2]s"}, {"s_mulk_i32", "s_mul_i32 %[1]s, %[1]s, %[2]s"},
	{"s_cmpk_eq_i32", "s_cmp_eq_i32 %[1]s, %[2]s"}, {"s_cmpk_lg_i32", "s_cmp_lg_i32 %[1]s, %[2]s"}, {"s_cmpk_gt_i32", "s_cmp_gt_i32 %[1]s, %[2]s"},
	{"s_cmpk_ge_i32", "s_cmp_ge_i32 %[1]s, %[2]s"}, {"s_cmpk_lt_i32", "s_cmp_lt_i32 %[1]s, %[2]s"}, {"s_cmpk_le_i32", "s_cmp_le_i32 %[1]s, %[2]s"},
	{"s_cmpk_eq_u32", "s_cmp_eq_u32 %[1]s, %[2]s"}, {"s_cmpk_lg_u32", "s_cmp_lg_u32 %[1]s, %[2]s"}, {"s_cmpk_gt_u32", "s_cmp_gt_u32 %[1]s, %[2]s"},
	{"s_cmpk_ge_u32", "s_cmp_ge_u32 %[1]s, %[2]s"}, {"s_cmpk_lt_u32", "s_cmp_lt_u32 %[1]s, %[2]s"}, {"s_cmpk_le_u32", "s_cmp_le_u32 %[1]s, %[2]s"},
}

// swapped are prefixes of the names of instructions whose two sources may be swapped, and the name after that.
var swapped = [...][2]string{
	{"v_add_", "v_add_"}, {"v_mul_", "v_mul_"}, {"v_min_", "v_min_"}, {"v_max_", "v_max_"}, {"v_and_", "v_and_"}, {"v_or_", "v_or_"}, {"v_xor_", "v_xor_"},
	{"v_mac_", "v_mac_"}, {"v_subrev_", "v_sub_"}, {"v_sub_", "v_subrev_"},
	{"v_cmp_eq_", "v_cmp_eq_"}, {"v_cmp_lg_", "v_cmp_lg_"}, {"v_cmp_ne_", "v_cmp_ne_"}, {"v_cmp_lt_", "v_cmp_gt_"}, {"v_cmp_gt_", "v_cmp_lt_"},
	{"v_cmp_le_", "v_cmp_ge_"}, {"v_cmp_ge_", "v_cmp_le_"},
}

// A wrongText is a text that no row fits, split into parts.
type wrongText struct {
	s        *isa.Scan
	name     string
	operands []string
	behind   string // the last operand
	at       int    // the operand at fault; -1: none
	word     string // its text
}

// takeApart splits the text of the line; nil: its operands are not plain.
func takeApart(s *isa.Scan, e *isa.Error) *wrongText {
	line := strings.TrimSpace(s.Line)
	lead := strings.Index(s.Line, line)
	x := &wrongText{s: s, name: line[:isa.WordLen(line)], at: -1}
	rest, from := line[len(x.name):], lead+len(x.name)
	parts := strings.Split(rest, ",")
	for i, p := range parts {
		text := strings.TrimSpace(p)
		if i == len(parts)-1 {
			if n := strings.IndexAny(text, " \t"); n >= 0 {
				text, x.behind = text[:n], text[n:]
			}
		}
		if at := e.Col - 1 - from; at >= 0 && at < len(p) && at <= strings.Index(p, text)+len(text) {
			x.at, x.word = i, text
		}
		x.operands = append(x.operands, text)
		from += len(p) + 1
	}
	if strings.Count(rest, "[") != strings.Count(rest, "]") || strings.ContainsAny(rest, "()") {
		return nil
	}
	return x
}

// with returns the text with other operands.
func (x *wrongText) with(name string, operands []string) string {
	return name + " " + strings.Join(operands, ", ") + x.behind
}

// advise returns a text that would be accepted in place of one that no row fits: it is tried.
func advise(s *isa.Scan, d *isa.Def, e *isa.Error) string {
	x := takeApart(s, e)
	if x == nil {
		return ""
	}
	if name, ok := strings.CutSuffix(x.name, "_e32"); ok {
		if text := name + "_e64" + strings.TrimPrefix(strings.TrimSpace(s.Line), x.name); s.Takes(text) {
			return fmt.Sprintf("VOP3 takes it: %q", text)
		}
	}
	switch {
	case x.at < 0:
		return ""
	case e.Code == isa.ErrRange:
		return x.wide()
	case written(d, x.at):
		return ""
	case strings.HasPrefix(x.word, "v") && strings.HasPrefix(d.Name, "s_"):
		return x.moved("v_readfirstlane_b32 copies it to an SGPR, for example %q", "v_readfirstlane_b32 s0, %s", "s0")
	case isConst(x.word):
		return x.constant(d)
	case strings.HasPrefix(x.word, "s") && strings.Contains(e.Msg, "VGPR"):
		return x.moved("v_mov_b32 copies it to a VGPR, for example %q", "v_mov_b32 v0, %s", "v0")
	}
	return ""
}

// written reports whether operand n of the row's text is a result.
func written(d *isa.Def, n int) bool {
	for i := range d.Args {
		a := &d.Args[i]
		if a.Place != isa.Operand {
			continue
		}
		if n == 0 {
			return a.Role == isa.Define
		}
		n--
	}
	return false
}

func isConst(word string) bool {
	word = strings.TrimLeft(word, "-")
	return word != "" && word[0] >= '0' && word[0] <= '9'
}

// moved returns a hint to move the operand to a register by another instruction, if a register is accepted in its
// place.
func (x *wrongText) moved(hint, move, reg string) string {
	ops := append([]string{}, x.operands...)
	ops[x.at] = reg
	if text := fmt.Sprintf(move, x.word); x.s.Takes(text) && x.s.Takes(x.with(x.name, ops)) {
		return fmt.Sprintf(hint, text)
	}
	return ""
}

// wide handles a constant that is too large.
func (x *wrongText) wide() string {
	v, err := strconv.ParseUint(x.word, 0, 64)
	if err != nil || len(x.operands) != 2 {
		return ""
	}
	if x.name == "s_mov_b64" {
		var halves [2]string
		for i, half := range [2]uint64{v & (1<<32 - 1), v >> 32} {
			reg, ok := halfOf(x.operands[0], i)
			halves[i] = fmt.Sprintf("s_mov_b32 %s, %#x", reg, half)
			if !ok || !x.s.Takes(halves[i]) {
				return ""
			}
		}
		return fmt.Sprintf("a literal has 32 bits, which s_mov_b64 extends; two instructions hold it: %q and %q", halves[0], halves[1])
	}
	for _, n := range longNames {
		if n.short != x.name {
			continue
		}
		if text := fmt.Sprintf(n.long, x.operands[0], x.operands[1]); x.s.Takes(text) {
			return fmt.Sprintf("a literal has 32 bits: %q", text)
		}
	}
	return ""
}

// halfOf returns the name of a half of a pair.
func halfOf(pair string, i int) (string, bool) {
	for _, name := range [...]string{"vcc", "exec", "tba", "tma"} {
		if pair == name {
			return name + [...]string{"_lo", "_hi"}[i], true
		}
	}
	var from, to int
	if n, err := fmt.Sscanf(pair, "s[%d:%d]", &from, &to); n != 2 || err != nil {
		return "", false
	}
	return "s" + strconv.Itoa(from+i), true
}

// constant handles a constant that is not accepted, or not with this value.
func (x *wrongText) constant(d *isa.Def) string {
	if n := len(x.operands); x.at == n-1 && n >= 3 {
		ops := append([]string{}, x.operands...)
		ops[n-1], ops[n-2] = ops[n-2], ops[n-1]
		for _, names := range swapped {
			if rest, ok := strings.CutPrefix(x.name, names[0]); ok {
				if text := x.with(names[1]+rest, ops); x.s.Takes(text) {
					return fmt.Sprintf("the first source takes it: %q", text)
				}
			}
		}
	}
	if strings.HasPrefix(d.Name, "s_") {
		return x.moved("s_mov_b32 moves it to an SGPR, for example %q", "s_mov_b32 s0, %s", "s0")
	}
	if d.Enc.Name == "VOP3" || d.Enc.Name == "VOPC" || d.Enc.Name == "VOP3B" {
		if hint := x.moved("VOP3 takes no literal on "+x.s.Target.Variants[x.s.Target.Variant].Name+"; s_mov_b32 moves it to an SGPR, for example %q", "s_mov_b32 s0, %s", "s0"); hint != "" {
			return hint
		}
	}
	return x.moved("v_mov_b32 moves it to a VGPR, for example %q", "v_mov_b32 v0, %s", "v0")
}
