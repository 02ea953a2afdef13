package isa_test

import (
	"fmt"
	"strconv"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A set of one instruction, whose operands have a sign, an absolute value and the bank that they share.
func ExampleCompile() {
	reg := &isa.Kind{Name: "a register",
		Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
			return strconv.AppendUint(append(dst, 'r'), v, 10)
		},
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			if !s.Byte('r') {
				return 0, s.Expect("a register")
			}
			return s.Uint()
		}}
	constant := &isa.Kind{Name: "a constant",
		Text: func(_ isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
			return fmt.Appendf(dst, "c%d[%d]", a.Part(in.Word, 2), v) // part 2 is silent: its bank
		},
		Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
			if !s.Byte('c') {
				return 0, s.Expect("a constant")
			}
			bank, ok := s.Uint()
			if !ok || !s.Byte('[') {
				return 0, s.Expect("a bank and a place")
			}
			v, ok := s.Uint()
			return v, ok && s.Byte(']') && s.SetPart(in, a, 2, bank)
		}}
	neg := &isa.Kind{Name: "a sign", Table: []string{"", "-"}, Spell: []isa.Spelling{{Text: "-", Value: 1}}}
	abs := &isa.Kind{Name: "an absolute value", Table: []string{"", "|"}, Close: []string{"", "|"},
		Spell: []isa.Spelling{{Text: "|", Value: 1, Close: "|"}}}

	word := &isa.Encoding{Name: "word", Bits: 64, Opcode: bits.Ranges{bits.Span(48, 55)}, Fields: []isa.Field{
		isa.Bits("d", 0, 7, reg), isa.Bits("a", 8, 15, constant), isa.Bits("b", 16, 23, constant),
		isa.Bits("neg", 38, 38, neg), isa.Bits("abs", 39, 39, abs), isa.Bits("bank", 57, 58, &isa.Kind{Name: "the bank"}),
	}}
	bank := isa.Part{Name: "bank", Shared: true}
	set, err := isa.Compile(&isa.Arch{Name: "tiny", Variants: []isa.Variant{{Name: "t1"}}, Unit: 8, Longest: 8, Sep: ", ",
		Machine: func(int) *ir.Machine { return nil },
		Defs: []isa.Def{{Name: "add", Variants: 1, Enc: word, Op: 3, Lack: isa.LackUnbuilt, Args: []isa.Arg{{Name: "d"},
			{Name: "a", Parts: []isa.Part{{Name: "neg", Side: isa.Before}, {Name: "abs", Side: isa.Around}, bank}},
			{Name: "b", Parts: []isa.Part{{Name: "neg", At: bits.Ranges{}, Kind: neg, Side: isa.Before}, {Name: "abs", At: bits.Ranges{}, Kind: abs, Side: isa.Around}, bank}}}}}})
	if err != nil {
		fmt.Println(err)
		return
	}

	t := set.At(0, 0)
	var b isa.Bundle
	for _, text := range []string{"add r1, -|c2[5]|, c2[6]", "add r1, c2[5], c1[6]", "add r1, c2[5], -c2[6]"} {
		if err := t.Parse(text, 0, &b); err != nil {
			fmt.Println(err)
			continue
		}
		code, _ := b.Encode(nil)
		fmt.Printf("%x %s\n", code, t.Print(nil, &b))
	}
	// Output:
	// 01050600c0000304 add r1, -|c2[5]|, c2[6]
	// <text>:1:16: error: add: the bank is one for all operands of the instruction that have it [illegal]
	// <text>:1:16: error: add: - is not possible on this operand [modifier]
}
