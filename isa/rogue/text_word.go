package rogue

import (
	"cmp"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// none is the text of a value that no instruction has.
const none = "?"

// words is a kind with a text for each value; "" prints nothing.
func words(name string, texts ...string) *isa.Kind {
	k := &isa.Kind{Name: name, Table: texts, Reserved: make([]bool, len(texts)), First: "."}
	for v, text := range texts {
		switch text {
		case "":
		case none:
			k.Reserved[v], texts[v] = true, ""
		default:
			k.Spell = append(k.Spell, isa.Spelling{Text: text, Value: uint64(v)})
			if text[0] != '.' {
				k.First = ""
			}
		}
	}
	return longFirst(k)
}

// dotted is words with a dot before each; "-" prints nothing.
func dotted(name, texts string) *isa.Kind {
	list := strings.Fields(texts)
	for i, t := range list {
		switch t {
		case none:
		case "-":
			list[i] = ""
		default:
			list[i] = "." + t
		}
	}
	return words(name, list...)
}

// also adds spellings that are read and never printed: texts for a value.
func also(k *isa.Kind, value uint64, texts ...string) *isa.Kind {
	for _, t := range texts {
		k.Spell = append(k.Spell, isa.Spelling{Text: t, Value: value})
	}
	return longFirst(k)
}

// longFirst sorts spellings so that none hides a longer one.
func longFirst(k *isa.Kind) *isa.Kind {
	slices.SortStableFunc(k.Spell, func(a, b isa.Spelling) int { return cmp.Compare(len(b.Text), len(a.Text)) })
	return k
}

// flag is a word that is present if its bit is set.
func flag(text string) *isa.Kind { return words(`"`+text+`"`, "", "."+text) }

// pred is an operand that is P0 if its bit is set.
func pred(name string) *isa.Kind {
	k := words(name, "_", "p0")
	k.Cells = func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		if v != 0 {
			dst = append(dst, isa.Span{Cell: p0, N: 1})
		}
		return dst
	}
	return k
}

// fixed is a constant operand: it prints as the first text; the others are read.
func fixed(texts ...string) *isa.Kind {
	k := words("a word", texts[0])
	k.Name = texts[0]
	return also(k, 0, texts[1:]...)
}
