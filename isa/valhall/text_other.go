package valhall

import (
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Texts of other tools that no row reads directly: kraid's, and those of the early reference.
// docs/reference/valhall.md 5.

// implied rewrites a text to the syntax of rows: names of respellings, such as AND.i32, which is a shift by 0; .and and
// .seq of ICMP and FCMP after the type; .ts and .id, which name the page of a special value that the text names, too.
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

// A respelling is another name of an instruction with some operands or modifiers fixed. Kraid prints words by it; all
// dialects read it, except for kraid's own.
type respelling struct {
	from, to string // without the type
	mods     string // after the type
	operands string // of to: numbers of operands of from, possibly with a modifier, and literal text; "": unchanged
	types    string // of to; "": all
	as       string // the type of from; "": that of to, none: none
	zero     string // fields that must be 0
	when     string // values of fields, one value each: name=1,2
	since    int    // the first architecture in which it prints
	mesa26   bool   // Mesa of 2026 prints it, too
	alone    bool   // only kraid's dialect reads it: the name differs in meaning, or does not exist, in others
}

// respellings are names of Arm's table of encodings and of kraid; of one name, the first entry with the number of
// operands and the type applies.
var respellings = [...]respelling{
	{from: "AND", to: "LSHIFT_AND", operands: "$0 $1 0x0.b00 $2", types: "i32 i64"}, {from: "AND", to: "LSHIFT_AND", operands: "$0 $1 0x0.b02 $2", types: "v2i16 v4i8"},
	{from: "OR", to: "LSHIFT_OR", operands: "$0 $1 0x0.b00 $2", types: "i32 i64"}, {from: "OR", to: "LSHIFT_OR", operands: "$0 $1 0x0.b02 $2", types: "v2i16 v4i8"},
	{from: "XOR", to: "LSHIFT_XOR", operands: "$0 $1 0x0.b00 $2", types: "i32 i64"}, {from: "XOR", to: "LSHIFT_XOR", operands: "$0 $1 0x0.b02 $2", types: "v2i16 v4i8"},
	{from: "NOT", to: "LSHIFT_XOR", operands: "$0 $1 0x0.b00 0x0.not", types: "i32 i64", zero: "not_result", alone: true},
	{from: "NOT", to: "LSHIFT_XOR", operands: "$0 $1 0x0.b02 0x0.not", types: "v2i16 v4i8", zero: "not_result", alone: true},
	{from: "ARSHIFT_AND", to: "RSHIFT_AND", mods: "signed", mesa26: true}, {from: "ARSHIFT_OR", to: "RSHIFT_OR", mods: "signed", mesa26: true},
	{from: "ARSHIFT_XOR", to: "RSHIFT_XOR", mods: "signed", mesa26: true},
	{from: "ARSHIFT", to: "RSHIFT_OR", mods: "signed", operands: "$0 $1 $2 0x0"}, {from: "RSHIFT", to: "RSHIFT_OR", operands: "$0 $1 $2 0x0", zero: "signed"},
	{from: "LSHIFT", to: "LSHIFT_OR", operands: "$0 $1 $2 0x0"}, {from: "RROT", to: "RROT_OR", operands: "$0 $1 $2 0x0"}, {from: "LROT", to: "LROT_OR", operands: "$0 $1 $2 0x0"},
	{from: "SEG_SUB", to: "SEG_ADD", mods: "neg"}, {from: "FATAN_TABLE", to: "FATAN_ASSIST", mods: "second"},
	{from: "ICMP", to: "ICMP_OR", operands: "$0 $1 $2 0x0"}, {from: "FCMP", to: "FCMP_OR", operands: "$0 $1 $2 0x0"},
	{from: "FMUL", to: "FMA", operands: "$0 $1 $2 0x0.neg", when: "round_mode=0,1,3"}, {from: "FMUL", to: "FMA", operands: "$0 $1 $2 0x0", when: "round_mode=2"},
	{from: "F32_TO_F16", to: "FADD", operands: "$0 $1 0x0.neg", types: "f32", as: none, zero: "sticky swz_a", when: "round_mode=0,1,3 write_mask=0,1,2", since: 11},
	{from: "F32_TO_F16", to: "FADD", operands: "$0 $1 0x0", types: "f32", as: none, zero: "sticky swz_a", when: "round_mode=2 write_mask=0,1,2", since: 11},
	{from: "FNEG", to: "FADD", operands: "$0 $1.neg 0x0.neg", zero: "round_mode sticky"}, {from: "FABS", to: "FADD", operands: "$0 $1.abs 0x0.neg", zero: "round_mode sticky"},
	{from: "FADD_RSCALE", to: "FMA_RSCALE", operands: "$0 $1 0x3F800000 $2 $3"}, {from: "FADD_RSCALE", to: "FMA_RSCALE_SCALE16", operands: "$0 $1 0x3F800000 $2 $3", alone: true},
	{from: "FMUL_RSCALE", to: "FMA_RSCALE", operands: "$0 $1 $2 0x0.neg $3"}, {from: "FMUL_RSCALE", to: "FMA_RSCALE_N", operands: "$0 $1 $2 0x0.neg $3", alone: true},
	{from: "FMUL_RSCALE", to: "FMA_RSCALE_LEFT", operands: "$0 $1 $2 0x0.neg $3", alone: true},
	{from: "MOV_IMM", to: "IADD_IMM", operands: "$0 0x0 $1", zero: "page"}, {from: nameADR, to: "IADD_IMM", operands: "$0 program_counter $1", types: "i32", as: none, when: "write_mask=3", alone: true},
	{from: "SWZ", to: "IADD", operands: "$0 $1 0x0", types: "v2u16", as: "v2i16", zero: "saturate", alone: true},
	{from: "SWZ", to: "IADD", operands: "$0 $1 0x0", types: "v4u8", as: "v4i8", zero: "saturate", alone: true},
	{from: "AXCHG", to: "ATOM_RETURN", mods: "axchg", types: "i32", zero: "compare result_count", when: "staging_count=1"},
	{from: "AXCHG", to: "ATOM_RETURN", mods: "axchg", types: "i64", zero: "compare", when: "staging_count=2 result_count=1"},
	{from: "ACMPXCHG", to: "ATOM_RETURN", mods: "compare.axchg", types: "i32", zero: "result_count", when: "staging_count=2"},
	{from: "ACMPXCHG", to: "ATOM_RETURN", mods: "compare.axchg", types: "i64", when: "staging_count=4 result_count=1"},
	{from: "FEXP", to: "FPOW", operands: "$0 0x40000000.h1 $1", types: "f16", alone: true},
}

// respelt is a text under the name of a row; "" if it is none of respellings.
func respelt(words []string, rest string) string {
	given := strings.Split(rest, ",")
	for i := range respellings {
		r := &respellings[i]
		if r.from != words[0] || r.alone || r.types != "" && !slices.Contains(strings.Fields(r.types), words[1]) {
			continue
		}
		operands := rest
		if r.operands != "" {
			var ok bool
			if operands, ok = r.fill(given); !ok {
				continue
			}
			if slices.Contains(words, "rtn") || slices.Contains(words, "round_down") { // the neutral zero is then +0
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

// fill returns the operands for the row's name, if the number of operands is right and none has a modifier twice.
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
		if mod != "" { // before a widening
			reg, wide, ok := strings.Cut(operand, ".")
			if operand = reg + mod; ok {
				operand += "." + wide
			}
		}
		list = append(list, operand)
	}
	return strings.Join(list, ","), most == len(given)-1
}

// pageModes are the words for pages in the early reference.
var pageModes = [...]string{PagePointers: "ts", PageIdentity: "id"}

// namesPage reports whether operands name a special value of a page.
func namesPage(operands string, page int) bool {
	for _, name := range specials[page] {
		if name != "" && strings.Contains(operands, name) {
			return true
		}
	}
	return slices.ContainsFunc(aliases[:], func(x specialAlias) bool { return x.page == page && strings.Contains(operands, x.name) })
}
