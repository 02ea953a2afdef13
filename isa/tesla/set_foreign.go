package tesla

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// elsewhere are words of PTX, of nvdisasm and of Mesa's compiler, and texts of instructions that do the same. The
// texts are complete: a test assembles each.
var elsewhere = []isa.Lead{
	{Words: "mad f32", Texts: "add f32 $r0 (mul $r1 $r2) $r3"},
	{Words: "mad f64", Texts: "fma rn f64 $r0d $r2d $r4d $r6d"},
	{Words: "mad u16", Texts: "add $r0 (mul u16 $r1l $r2l) $r3"},
	{Words: "mad s16", Texts: "add $r0 (mul s16 $r1l $r2l) $r3"},
	{Words: "mad u24", Texts: "add $r0 (mul u24 $r1 $r2) $r3"},
	{Words: "mad s24", Texts: "add $r0 (mul s24 $r1 $r2) $r3"},
	{Words: "mad", Texts: "add $r0 (mul u16 $r1l $r2l) $r3"},
	{Words: "mad24", Texts: "add $r0 (mul u24 $r1 $r2) $r3"},
	{Words: "imad", Texts: "add $r0 (mul u24 $r1 $r2) $r3"},
	{Words: "fmad", Texts: "add f32 $r0 (mul $r1 $r2) $r3"},
	{Words: "ffma", Texts: "add f32 $r0 (mul $r1 $r2) $r3"},
	{Words: "mul24", Texts: "mul $r0 u24 $r1 $r2"},
	{Words: "imul", Texts: "mul $r0 u16 $r1l u16 $r2l"},
	{Words: "iadd", Texts: "add b32 $r0 $r1 $r2"},
	{Words: "fadd", Texts: "add rn f32 $r0 $r1 $r2"},
	{Words: "fmul", Texts: "mul f32 $r0 $r1 $r2"},
	{Words: "dadd", Texts: "add rn f64 $r0d $r2d $r4d"},
	{Words: "dfma", Texts: "fma rn f64 $r0d $r2d $r4d $r6d"},
	{Words: "fmin", Texts: "min f32 $r0 $r1 $r2"},
	{Words: "fmax", Texts: "max f32 $r0 $r1 $r2"},
	{Words: "rsq", Texts: "rsqrt f32 $r0 $r1"},
	{Words: "i2f", Texts: "cvt rn f32 $r0 u32 $r1"},
	{Words: "exit", Texts: "exit nop"},
	{Words: "join", Texts: "join nop"},
	{Words: "ssy", Texts: "joinat 0x0"},
	{Words: "sync", Texts: "join nop"},
	{Words: "pbk", Texts: "breakaddr 0x0"},
	{Words: "brk", Texts: "break"},
	{Words: "ldg", Texts: "ld b32 $r0 g14[$r1]"},
	{Words: "stg", Texts: "st b32 g14[$r1] $r0"},
	{Words: "lds", Texts: "mov b32 $r0 b32 s[0x10]"},
	{Words: "sts", Texts: "st b32 s[0x10] $r0"},
	{Words: "setp", Texts: "set $c0 # l u32 $r1 $r2"},
	{Words: "f2i", Texts: "cvt rzi s32 $r0 f32 $r1"},
	{Words: "iset", Texts: "set $r0 l u32 $r1 $r2"},
	{Words: "isetp", Texts: "set $c0 # l u32 $r1 $r2"},
	{Words: "s2r", Texts: "mov $r0 physid"},
	{Words: "kil", Texts: "discard"},
	{Words: "bar.sync", Texts: "bar inc wait 0 all"},
}

// foreign names the equivalent of an instruction of another tool, using the type after the name or a point.
func foreign(t *isa.Target, word, rest string) (msg, hint string) {
	name, typ, _ := strings.Cut(strings.ToLower(word), ".")
	if at := strings.LastIndexByte(typ, '.'); at >= 0 {
		typ = typ[at+1:] // mad.rn.f32
	}
	if typ == "" {
		typ, _, _ = strings.Cut(strings.TrimSpace(strings.ToLower(rest)), " ")
	}
	if name == "mad" && (typ == "u32" || typ == "s32" || typ == "b32") {
		return "", fmt.Sprintf("a name of other tools; products of integers have factors of 16 or 24 bits here, such as %q", "add $r0 (mul u24 $r1 $r2) $r3")
	}
	if _, ok := laneMask(word); ok {
		s := isa.Scan{Target: t, Line: word + " " + strings.TrimSpace(rest)}
		return "", fromNotes(&s)
	}
	return "", t.Lead(elsewhere, name+" "+typ, strings.ToLower(word), name)
}

// missingType returns a hint at a type that is missing after the name of the instruction.
func missingType(s *isa.Scan) string {
	line := strings.TrimSpace(s.Line)
	n := isa.WordLen(line)
	if n == len(line) {
		return ""
	}
	for _, typ := range [...]string{"b32", "f32", "u32", "b16"} {
		if text := line[:n] + " " + typ + line[n:]; s.Takes(text) {
			return fmt.Sprintf("a type is missing: %q", text)
		}
	}
	return ""
}
