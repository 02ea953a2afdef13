package tesla

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// elsewhere are words of PTX, of nvdisasm and of Mesa's compiler, and texts of instructions that do the same. The texts are complete:
// a test assembles each.
var elsewhere = [...][2]string{
	{"mad f32", "add f32 $r0 (mul $r1 $r2) $r3"},
	{"mad f64", "fma rn f64 $r0d $r2d $r4d $r6d"},
	{"mad u16", "add $r0 (mul u16 $r1l $r2l) $r3"},
	{"mad s16", "add $r0 (mul s16 $r1l $r2l) $r3"},
	{"mad u24", "add $r0 (mul u24 $r1 $r2) $r3"},
	{"mad s24", "add $r0 (mul s24 $r1 $r2) $r3"},
	{"mad", "add $r0 (mul u16 $r1l $r2l) $r3"},
	{"mad24", "add $r0 (mul u24 $r1 $r2) $r3"},
	{"imad", "add $r0 (mul u24 $r1 $r2) $r3"},
	{"fmad", "add f32 $r0 (mul $r1 $r2) $r3"},
	{"ffma", "add f32 $r0 (mul $r1 $r2) $r3"},
	{"mul24", "mul $r0 u24 $r1 $r2"},
	{"imul", "mul $r0 u16 $r1l u16 $r2l"},
	{"iadd", "add b32 $r0 $r1 $r2"},
	{"fadd", "add f32 $r0 $r1 $r2"},
	{"fmul", "mul f32 $r0 $r1 $r2"},
	{"dadd", "add rn f64 $r0d $r2d $r4d"},
	{"dfma", "fma rn f64 $r0d $r2d $r4d $r6d"},
	{"fmin", "min f32 $r0 $r1 $r2"},
	{"fmax", "max f32 $r0 $r1 $r2"},
	{"rsq", "rsqrt f32 $r0 $r1"},
	{"i2f", "cvt rn f32 $r0 u32 $r1"},
	{"exit", "exit nop"},
	{"join", "join nop"},
	{"ssy", "joinat 0x0"},
	{"sync", "join nop"},
	{"pbk", "breakaddr 0x0"},
	{"brk", "break"},
	{"ldg", "ld b32 $r0 g14[$r1]"},
	{"stg", "st b32 g14[$r1] $r0"},
	{"lds", "mov b32 $r0 b32 s[0x10]"},
	{"sts", "st b32 s[0x10] $r0"},
	{"setp", "set $c0 # l u32 $r1 $r2"},
	{"isetp", "set $c0 # l u32 $r1 $r2"},
	{"s2r", "mov $r0 physid"},
	{"kil", "discard"},
	{"bar.sync", "bar inc wait 0 all"},
}

// foreign says which instruction does what one of another tool's name does, with the type that follows the name or a point.
func foreign(t *isa.Target, word, rest string) (msg, hint string) {
	name, typ, _ := strings.Cut(strings.ToLower(word), ".")
	if at := strings.LastIndexByte(typ, '.'); at >= 0 {
		typ = typ[at+1:] // mad.rn.f32
	}
	if typ == "" {
		typ, _, _ = strings.Cut(strings.TrimSpace(strings.ToLower(rest)), " ")
	}
	i := slices.IndexFunc(elsewhere[:], func(e [2]string) bool { return e[0] == name+" "+typ })
	if i < 0 {
		i = slices.IndexFunc(elsewhere[:], func(e [2]string) bool { return e[0] == strings.ToLower(word) })
	}
	if i < 0 {
		i = slices.IndexFunc(elsewhere[:], func(e [2]string) bool { return e[0] == name })
	}
	if i < 0 {
		return "", ""
	}
	if name == "mad" && (typ == "u32" || typ == "s32" || typ == "b32") {
		return "", fmt.Sprintf("other tools have that name; products of integers have factors of 16 or 24 bits here, such as %q", "add $r0 (mul u24 $r1 $r2) $r3")
	}
	text := elsewhere[i][1]
	var b isa.Bundle
	if t.Parse(text, 0, &b) != nil {
		return "", "" // this variant has not got it
	}
	return "", fmt.Sprintf("other tools have that name; here it is %q", text)
}

// missingType is a hint at a type that is missing behind the name of the instruction.
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
