package rogue

import (
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// stepsName names the algorithm of split for reimplementations; steps state it in words, for documents.
// docs/reference/rogue.md 2.
const stepsName = "rogue-group"

var steps = []string{
	`first: if there are three bytes or more, bit 7 of byte 1 is set and bits 5-6 of byte 2 hold 3, the first part is of class "control instruction", else of "group header". What is wrong with it is wrong with the bundle.`,
	`length: the group has 2 * (operand length) bytes, 32 if that holds 0. If there are fewer, the bundle is truncated; if the first part has more, it is illegal. at is the place behind the first part.`,
	`part(class): the next part is decoded among the rows of the class at the place at; of a class that is a view, at the place of the part before. If it is refused or goes beyond the group, it is decoded again as if the code ended with the group: if it is truncated then, the bundle is illegal, and if it is refused otherwise, so is the bundle. at moves behind it, but not behind a view.`,
	`da(n): operand da of the first part must be n modulo 16, or the bundle is illegal.`,
	`control: if the row of a control instruction has the tag sources or the tag result: da(at). Else operands w0p and w1p must be 0, or the bundle is illegal; da(0); only the padding follows.`,
	`bit unit: if the row of the header has the tag bit-unit: operand phases must not be 0, or the bundle is illegal. If its bit 2 is set: part("second shift"), part("bit test"). If bit 1: part("logical instruction"). If bit 0: part("bitmask instruction"), part("first shift"), part("bit count"). Then da(at).`,
	`main unit: with any other header, operand phases, 0 to 7, says which phases there are: 0; 2; backend; 0 1; 0 2; 0 1 2; 0 2 backend; 0 1 2 backend. They stand in the order of the next steps, and each that is not there is left out.`,
	`backend: part("backend instruction").`,
	`phase 2: if at is in the group and bits 5-7 of the byte there hold 6, part("move"), and if its operand p2end is not 0 the phase ends. If they hold 7, part("test"), and in the same way. Else part("pack"), which follows a move or test that does not end the phase, too.`,
	`behind phase 2, or in its place: da(at).`,
	`phase 1: part("instruction of phase 1").`,
	`phase 0: if at is in the group, bits 4-7 of the byte there hold 11, fits(at + 3) holds and fits(at + 2) does not, part("instruction of phase 0 with elements"). Else part("instruction of phase 0").`,
	`maps: behind a control instruction with the tag result and without the tag sources, if ends(at) holds, there are only results. Else part("lower source map"), part("upper source map"), then with a header of the main unit part("internal source selector"), then results.`,
	`results: if both operands w0p and w1p of the first part are 1, part("map of two destinations"); if one is, part("destination map").`,
	`padding: what is left of the group must be padding: nothing; or 0xff; or n bytes: 0xff if n is odd, then 0xf0 + n / 2, then 0xff up to the end. Else the bundle is illegal.`,
	`bit(x, i): bit i of byte x of the group, 0 if x is past its end.`,
	`map(x): 1 if bit(x, 7) is 0; else, if bit(x + 1, 7) is 0, 3 + bit(x + 1, 6) * (1 + bit(x + 2, 7) * (1 + bit(x + 4, 2))); else 2 + bit(x + 1, 6) * (1 + bit(x + 2, 7)).`,
	`ends(x): with one of w0p and w1p, x grows by 1 + bit(x, 7); with both, by 2 + bit(x + 1, 7) * (1 + bit(x + 2, 7)). Then x must not be behind the end of the group, and from x on there must be padding.`,
	`fits(x): x grows by map(x), then by map(x) of the new x, then by 1; then ends(x) must hold.`,
}

// decoder decodes groups; link makes it.
var decoder group.Decoder

// split decodes a group.
func split(t *isa.Target, code []byte, addr uint64, b *isa.Bundle) error {
	b.Own = uint8(t.Option(optDistance))
	return decoder.Split(t, code, addr, b)
}

// isViewOf is group.IsView with the type that isa needs.
func isViewOf(class int) bool { return group.IsView(uint8(class)) }

// groups is the group format for isa: decoding, printing, parsing, lifting.
func groups() *isa.Group {
	return &isa.Group{Split: split, Join: join, Parse: parse, Lift: lift, Pad: group.Pad, Stands: true, Sample: sample, Rule: stepsName, Steps: steps, View: isViewOf}
}
