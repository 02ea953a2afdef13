package manual

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

// Support is how much of a variant of an instruction set is implemented, in rows of its table. A row is an instruction
// in one encoding.
type Support struct {
	ISA          string   `json:"isa"`
	Variant      string   `json:"variant"`
	Aliases      []string `json:"aliases,omitempty"`
	Doc          string   `json:"doc"`
	Default      bool     `json:"default,omitempty"`
	Instructions int      `json:"instructions"` // as InstructionNames
	Rows         int      `json:"rows"`
	Assemble     int      `json:"assemble"`
	Disassemble  int      `json:"disassemble"`
	Run          int      `json:"run"`
	Lacks        string   `json:"lacks,omitempty"`
}

// InstructionNames returns the instructions of a set that some of the variants have, given as a mask, in the order of
// the rows. An instruction is a mnemonic without the suffix of its form, whatever its operands and encodings:
// v_add_f32_e32 and v_add_f32_e64 are one, and so are integer and float additions if both are written add. All
// statements of how many instructions a set has count these.
func InstructionNames(s *isa.Arch, variants uint32) (names []string) {
	seen := map[string]bool{}
	for i := range s.Defs {
		if name := plainName(&s.Defs[i]); s.Defs[i].Variants&variants != 0 && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// AllVariants is the mask of all variants of a set, for InstructionNames.
const AllVariants = ^uint32(0)

// Supports counts the rows of each variant.
func Supports(s *isa.Arch) []Support {
	list := make([]Support, len(s.Variants))
	for v := range s.Variants {
		info := &s.Variants[v]
		c := Support{ISA: s.Name, Variant: info.Name, Aliases: info.Aliases, Doc: info.Doc, Default: v == 0}
		for i := range s.Defs {
			if d := &s.Defs[i]; d.InVariant(v) {
				c.add(d)
			}
		}
		c.Instructions = len(InstructionNames(s, 1<<v))
		if c.Run < c.Rows {
			c.Lacks = fmt.Sprintf("meanings of %d rows", c.Rows-c.Run)
			if c.Rows-c.Run == 1 {
				c.Lacks = "the meaning of 1 row"
			}
		}
		list[v] = c
	}
	return list
}

func (c *Support) add(d *isa.Def) {
	c.Rows++
	if !d.Private {
		c.Assemble++
	}
	if !d.Private && !d.Alias {
		c.Disassemble++
	}
	if d.Meaning != nil {
		c.Run++
	}
}

// Everything returns the support of all instruction sets of heddle.
func Everything() (list []Support) {
	for _, e := range sets.Entries() {
		list = append(list, Supports(e.Declared())...)
	}
	return list
}

// SupportMarkdown returns the table of the README.
func SupportMarkdown() string {
	var b strings.Builder
	b.WriteString("| ISA | variant | instructions | rows | assemble | disassemble | run | lacking |\n")
	b.WriteString("|---|---|---:|---:|---:|---:|---:|---|\n")
	for _, c := range Everything() {
		fmt.Fprintf(&b, "| `%s` | `%s` | %d | %d | %s | %s | %s | %s |\n", c.ISA, c.Variant, c.Instructions, c.Rows,
			share(c.Assemble, c.Rows), share(c.Disassemble, c.Rows), share(c.Run, c.Rows), c.Lacks)
	}
	return b.String()
}

// share formats n of all: "all", "none", or the number.
func share(n, all int) string {
	switch n {
	case 0:
		return "none"
	case all:
		return "all"
	}
	return fmt.Sprint(n)
}
