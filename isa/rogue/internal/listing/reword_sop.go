package listing

import (
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Sums of products in listings: one line for each of the two sums, or one for all. docs/reference/rogue.md 9.

// combine makes one statement of the two lines sop r0.joutj, a, e, op, b, f and sop r1.koutk, c, g, op, d, h. It
// reports false for other lines.
func (r *reader) combine(st, next *statement) bool {
	if next.text != st.text || len(st.ops) != 6 || len(next.ops) != 6 || !strings.Contains(st.ops[0].text, ".jout") || !strings.Contains(next.ops[0].text, ".kout") {
		return false
	}
	none, end := token{"_", next.at}, token{"_", next.end}
	st.ops = slices.Concat(st.ops[:1], next.ops[:1], []token{none}, st.ops[1:], next.ops[1:], []token{end})
	return true
}

// rewordSOP replaces registers by results and sources.
func (r *reader) rewordSOP(st *statement) error {
	if i := slices.IndexFunc(st.ops, func(op token) bool { return op.text == "mad" }); i >= 0 {
		return r.wrong(st.ops[i].at, isa.ErrOperand, "mad adds v, w, x and y, for which F16SOP.MAD alone has operands")
	}
	if err := r.sopResults(st); err != nil {
		return err
	}
	s := r.s
	src, taken := Picked(s)
	var regs []group.Operand
	var at []int
	last := len(st.ops)
	if last > 0 && !strings.HasPrefix(st.text, "sopmov") && st.text != "sopu8madmov" {
		if n := moveSource(st.text); n >= 0 { // others may use the source of the move beside the sums, too
			last--
			if op := st.ops[last]; isSourceText(op.text) && taken>>n&1 == 0 {
				x, ok := r.register(op)
				if !ok {
					return s.Err()
				}
				src[n], taken = x, taken|1<<n
			}
		}
		for i := range st.ops[:last] {
			if isSourceText(st.ops[i].text) {
				x, ok := r.register(st.ops[i])
				if !ok {
					return s.Err()
				}
				regs, at = append(regs, x), append(at, i)
			}
		}
	}
	given, ok := Spread(&src, &taken, regs)
	if !ok {
		return r.wrong(st.at, isa.ErrOperand, "the six sources cannot be all of these registers: shared, alternate and indexed ones, and numbers above 255, can be three of them")
	}
	for i, n := range given {
		op := &st.ops[at[i]]
		_, parts, has := cutParts(op.text)
		op.text = "s" + strconv.Itoa(int(n))
		if has {
			op.text += "." + parts
		}
		Pick(s, int(n), regs[i])
	}
	return nil
}

// cutParts is strings.Cut at the dot after a register.
func cutParts(text string) (name, parts string, has bool) { return strings.Cut(text, ".") }

// sopWords are operands of sums of products that are not registers.
var sopWords = [...]string{"add", "sub", "min", "max", "rsub", "_", "z", "0", "mad", ""}

// isSourceText reports whether an operand names a register as a source.
func isSourceText(text string) bool {
	name, _, _ := cutParts(text)
	return !slices.Contains(sopWords[:], name) && !(len(name) == 2 && (name[0] == 's' || name[0] == 'w') && name[1] >= '0' && name[1] <= '5')
}

// moveSource is the source of the move beside sums of products, -1 if it has no fixed source.
func moveSource(text string) int {
	switch {
	case strings.HasPrefix(text, "f16sop.mad"):
		return -1
	case strings.HasPrefix(text, "f16sop.u8mad"):
		return 0
	}
	return group.FirstUpper
}

// sopResultsOf are the leading operands of a sum of products that are results, by mnemonic.
var sopResultsOf = [...]struct {
	name string
	n    int
}{{"f16sop.u8mad", 5}, {"f16sop.u8", 3}, {"f16sop.mad", 4}, {"f16sop", 3}, {"sopmov.u8", 2}, {"sopmov", 1}, {"sopu8madmov", 1}}

// sopResults reads the destinations of results: the first register is w0, another one w1. A move writes w1.
func (r *reader) sopResults(st *statement) error {
	for _, x := range sopResultsOf {
		if !strings.HasPrefix(st.text, x.name) {
			continue
		}
		for i := 0; i < len(st.ops) && i < x.n; i++ {
			op := &st.ops[i]
			name, _, _ := cutParts(op.text)
			if name == "_" || name == "" || name == "w0" || name == "w1" {
				continue
			}
			reg, err := r.whole(token{name, op.at})
			if err != nil {
				return err
			}
			n := 0
			if r.g.HasDst[0] && r.g.Dst[0] != reg || x.n == 1 {
				n = 1
			}
			if err := r.dest(op, n); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}
