package valhall

import (
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Texts of other tools that no row reads as they stand: kraid's, and those of the early reference. docs/reference/valhall.md 5.

// implied is a text as rows read it: names of respellings, such as AND.i32, which is a shift by 0; .and and .seq of ICMP and FCMP stand
// behind the type; .ts and .id name the page of a special value that the text names, too.
func implied(_ *isa.Target, text string) string {
	line := strings.TrimSpace(text)
	n := isa.WordLen(line)
	words, rest := strings.Split(line[:n], "."), line[n:]
	if words[0] == "F32_TO_F16" {
		words = slices.Insert(words, 1, "f32")
	}
	if len(words) < 2 {
		return ""
	}
	if t := respelt(words, rest); t != "" {
		return t
	}
	switch words[0] {
	case "ICMP", "FCMP":
		for _, how := range []string{"and", "seq"} {
			if i := slices.Index(words, how); i > 2 {
				return strings.Join(slices.Insert(slices.Delete(words, i, i+1), 2, how), ".") + rest
			}
		}
	}
	for page, mode := range pageModes {
		if i := slices.Index(words, mode); mode != "" && i > 0 && namesPage(rest, page) {
			return strings.Join(slices.Delete(words, i, i+1), ".") + rest
		}
	}
	return ""
}

// A respelling is another name of an instruction some of whose operands or modifiers are always the same.
type respelling struct {
	from, to string // without the type
	mods     string // behind the type
	operands string // of to: those of from by their number, maybe with a modifier, and what stands as it is; "": as they stand
}

// respellings are names of Arm's table of encodings and of kraid; of one name the first with as many operands counts.
var respellings = [...]respelling{
	{"AND", "LSHIFT_AND", "", "$0 $1 0x0.b00 $2"}, {"OR", "LSHIFT_OR", "", "$0 $1 0x0.b00 $2"}, {"XOR", "LSHIFT_XOR", "", "$0 $1 0x0.b00 $2"},
	{"ARSHIFT_AND", "RSHIFT_AND", "signed", ""}, {"ARSHIFT_OR", "RSHIFT_OR", "signed", ""}, {"ARSHIFT_XOR", "RSHIFT_XOR", "signed", ""},
	{"ARSHIFT", "RSHIFT_OR", "signed", "$0 $1 $2 0x0"}, {"RSHIFT", "RSHIFT_OR", "", "$0 $1 $2 0x0"}, {"LSHIFT", "LSHIFT_OR", "", "$0 $1 $2 0x0"},
	{"RROT", "RROT_OR", "", "$0 $1 $2 0x0"}, {"LROT", "LROT_OR", "", "$0 $1 $2 0x0"},
	{"SEG_SUB", "SEG_ADD", "neg", ""}, {"FATAN_TABLE", "FATAN_ASSIST", "second", ""},
	{"ICMP", "ICMP_OR", "", "$0 $1 $2 0x0"}, {"FCMP", "FCMP_OR", "", "$0 $1 $2 0x0"},
	{"FMUL", "FMA", "", "$0 $1 $2 0x0.neg"}, {"F32_TO_F16", "FADD", "", "$0 $1 0x0.neg"}, {"FNEG", "FADD", "", "$0 $1.neg 0x0.neg"}, {"FABS", "FADD", "", "$0 $1.abs 0x0.neg"},
	{"FADD_RSCALE", "FMA_RSCALE", "", "$0 $1 0x3F800000 $2 $3"}, {"FMUL_RSCALE", "FMA_RSCALE", "", "$0 $1 $2 0x0.neg $3"},
	{"MOV_IMM", "IADD_IMM", "", "$0 0x0 $1"}, {"AXCHG", "ATOM_RETURN", "axchg", ""}, {"ACMPXCHG", "ATOM_RETURN", "compare.axchg", ""},
}

// respelt is a text under the name that rows have; "": it is none of respellings.
func respelt(words []string, rest string) string {
	given := strings.Split(rest, ",")
	for i := range respellings {
		r := &respellings[i]
		if r.from != words[0] {
			continue
		}
		operands := rest
		if r.operands != "" {
			var ok bool
			if operands, ok = r.fill(given); !ok {
				continue
			}
			if slices.Contains(words, "rtn") || slices.Contains(words, "round_down") { // the zero that changes nothing is then +0
				operands = strings.Replace(operands, " 0x0.neg", " 0x0", 1)
			}
		}
		head := []string{r.to, words[1]}
		if r.mods != "" {
			head = append(head, r.mods)
		}
		head = append(head, words[2:]...)
		if i := slices.Index(head, "not"); i > 0 { // kraid's name
			head[i] = "not_result"
		}
		return strings.Join(head, ".") + operands
	}
	return ""
}

// fill are the operands of the name that rows have, if there are as many given as that needs and none has a modifier twice.
func (r *respelling) fill(given []string) (string, bool) {
	var list []string
	most := -1
	for _, want := range strings.Fields(r.operands) {
		if want[0] != '$' {
			list = append(list, " "+want)
			continue
		}
		at, mod := int(want[1]-'0'), want[2:]
		if at >= len(given) || mod != "" && (strings.Contains(given[at], ".neg") || strings.Contains(given[at], ".abs")) {
			return "", false
		}
		most = max(most, at)
		operand := given[at]
		if mod != "" { // in front of a widening
			reg, wide, ok := strings.Cut(operand, ".")
			if operand = reg + mod; ok {
				operand += "." + wide
			}
		}
		list = append(list, operand)
	}
	return strings.Join(list, ","), most == len(given)-1
}

// pageModes are the words of the early reference for pages.
var pageModes = [...]string{PagePointers: "ts", PageIdentity: "id"}

// namesPage is whether operands name a special value of a page.
func namesPage(operands string, page int) bool {
	for _, name := range specials[page] {
		if name != "" && strings.Contains(operands, name) {
			return true
		}
	}
	return slices.ContainsFunc(aliases[:], func(x specialAlias) bool { return x.page == page && strings.Contains(operands, x.name) })
}
