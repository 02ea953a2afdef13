package tesla

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/isa"
)

// notesLines are all lines of the early notes that show how an instruction is written, with operands for their names;
// the text of envydis, "" if it is the same; and the bits that the notes say are set in the two words, opcode and
// flags.
var notesLines = [...]struct {
	stage          int
	notes, envydis string
	first, second  uint32
}{
	// 1. MOV
	{CP, "mov b32 $r4 $r1", "", 0x10008000, 0},
	{CP, "mov b16 $r4l $r1l", "", 0x10000000, 0},
	{CP, "mov b32 $r4 0x12345", "", 0x10008000, 0},
	{CP, "mov b32 $r70 $r1", "", 0x10000000, 0x0403c000},
	{CP, "l02 mov b32 $r4 $r1", "(l02) mov b32 $r4 $r1", 0x10000000, 0x04014000},
	{CP, "lnone mov b32 $r4 $r1", "(lnone) mov b32 $r4 $r1", 0x10000000, 0x04000000},
	// 2. special registers
	{CP, "mov $r4 $c1", "", 0, 0x20000000},
	{CP, "mov $c1 $r4", "", 0, 0xa0000000},
	{CP, "mov $r4 $a2", "", 0, 0x40000000},
	{CP, "shl $a1 $r1 0x4", "", 0, 0xc0000000},
	{CP, "add $a1 $a2 0x10", "", 0xd0000000, 0x20000000},
	{CP, "mov $r4 physid", "mov $r4 $physid", 0, 0x60000000},
	{CP, "mov $r4 clock", "mov $r4 $clock", 0, 0x60004000},
	{CP, "mov $r4 sreg2", "mov $r4 $sr2", 0, 0x60008000},
	{CP, "mov $r4 sreg3", "mov $r4 $sr3", 0, 0x6000c000},
	{CP, "mov $r4 pm0", "mov $r4 $pm0", 0, 0x60010000},
	{CP, "mov $r4 pm1", "mov $r4 $pm1", 0, 0x60014000},
	{CP, "mov $r4 pm2", "mov $r4 $pm2", 0, 0x60018000},
	{CP, "mov $r4 pm3", "mov $r4 $pm3", 0, 0x6001c000},
	// 3.1 integer add
	{CP, "add b32 $c0 $r4 $r1 $r2", "", 0x20000000, 0x04000000},
	{CP, "add sat b32 $r4 $r1 $r2", "", 0x20008100, 0},
	{CP, "add sat b32 $c0 $r4 $r1 $r2", "add b32 sat $c0 $r4 $r1 $r2", 0x20000000, 0x0c000000},
	{CP, "add sat b32 $r70 $r1 $r2", "add b32 sat $r70 $r1 $r2", 0x20000000, 0x0c000000},
	{CP, "add sat b16 $c0 $r4l $r1l $r2h", "add b16 sat $c0 $r4l $r1l $r2h", 0x20000000, 0x08000000},
	{CP, "sub b16 $r4l $r1l $r2l", "", 0x20400000, 0},
	{CP, "sub sat b32 $c0 $r4 $r1 $r2", "sub b32 sat $c0 $r4 $r1 $r2", 0x20400000, 0x0c000000},
	{CP, "subr b32 $r4 $r1 $r2", "", 0x30008000, 0},
	{CP, "subr sat b32 $c1 $r4 $r1 $r2", "subr b32 sat $c1 $r4 $r1 $r2", 0x30000000, 0x0c000000},
	{CP, "addc b32 $c0 $r4 $r1 $r2 $c1", "", 0x30400000, 0x04000000},
	{CP, "addc sat b32 $r4 $r1 $r2 $c1", "addc b32 sat $r4 $r1 $r2 $c1", 0x30400000, 0x0c000000},
	// 3.2, 3.3 products
	{CP, "mul $r4 s16 $r1l u16 $r2l", "", 0x40008000, 0},
	{CP, "mul $c0 $r4 s16 $r1l s16 $r2l", "", 0x40000000, 0x0000c000},
	{CP, "mul $r4 high u24 $r1 $r2", "", 0x40000100, 0},
	{CP, "mul $c0 $r4 high s24 $r1 $r2", "", 0x40000000, 0x0000c000},
	{CP, "mul high u24 $r4 $r1 $r2", "mul $r4 high u24 $r1 $r2", 0x40000100, 0},
	// 3.4 products and sums
	{CP, "add $r4 mul u16 $r1l $r2l $r3", "add $r4 (mul u16 $r1l $r2l) $r3", 0x60000000, 0},
	{CP, "add $r4 mul u16 $r1l $r2l $r4", "add $r4 (mul u16 $r1l $r2l) $r4", 0x60000000, 0},
	{CP, "sub $c0 $r4 mul s16 $r1l $r2l $r3", "sub $c0 $r4 (mul s16 $r1l $r2l) $r3", 0x60000000, 0x24000000},
	{CP, "subr sat $r4 mul s16 $r1l $r2l $r3", "subr sat $r4 (mul s16 $r1l $r2l) $r3", 0x60000000, 0x48000000},
	{CP, "add $r4 mul u24 $r1 $r2 $r3", "add $r4 (mul u24 $r1 $r2) $r3", 0x60000000, 0x60000000},
	{CP, "addc $r4 mul s24 $r1 $r2 $r3 $c1", "addc $r4 (mul s24 $r1 $r2) $r3 $c1", 0x60000000, 0x8c000000},
	{CP, "add sat $r4 mul s24 $r1 $r2 $r3", "add sat $r4 (mul s24 $r1 $r2) $r3", 0x60000000, 0xa0000000},
	{CP, "add $r4 mul high u24 $r1 $r2 $r3", "add $r4 (mul high u24 $r1 $r2) $r3", 0x60000000, 0xc0000000},
	{CP, "add $r4 mul high s24 $r1 $r2 $r3", "add $r4 (mul high s24 $r1 $r2) $r3", 0x60000000, 0xe0000000},
	{CP, "sub sat $c1 $r4 mul high s24 $r1 $r2 $r3", "sub sat $c1 $r4 (mul high s24 $r1 $r2) $r3", 0x70000000, 0x04000000},
	{CP, "addc sat $c0 $r4 mul s24 $r1 $r2 $r3 $c1", "addc sat $c0 $r4 (mul s24 $r1 $r2) $r3 $c1", 0x60000000, 0xac000000},
	// 3.5 to 3.7
	{CP, "sad $c0 $r4 u16 $r1l $r2l $r3", "", 0x50000000, 0},
	{CP, "sad $r4 s32 $r1 $r2 $r3", "", 0x50000000, 0x0c000000},
	{CP, "min u16 $c0 $r4l $r1l $r2l", "", 0x30000000, 0xa0000000},
	{CP, "max s32 $r4 $r1 $r2", "", 0x30000000, 0x8c000000},
	{CP, "set $c0 $r4 l s32 $r1 $r2", "", 0x30000000, 0x6c004000},
	{CP, "set $r4 lge s32 $r1 $r2", "set $r4 always s32 $r1 $r2", 0x30000000, 0x6c01c000},
	{CP, "set $c0 $r4l gl u16 $r1l $r2l", "set $c0 $r4l lg u16 $r1l $r2l", 0x30000000, 0x60014000},
	// 4. bits; of a count the notes say bit 00010000, and it is 00100000
	{CP, "and b32 $c0 $r4 not $r1 $r2", "", 0xd0000000, 0x04010000},
	{CP, "or b16 $r4l $r1l not $r2l", "", 0xd0000000, 0x00024000},
	{CP, "xor b32 $r4 not $r1 not $r2", "", 0xd0000000, 0x04038000},
	{CP, "mov2 b32 $r4 not $r1 not $r2", "", 0xd0000000, 0x0403c000},
	{CP, "or b32 $r4 not $r1 0x1234", "", 0xd0400100, 0},
	{CP, "shl b16 $c0 $r4l $r1l $r2l", "", 0x30000000, 0xc0000000},
	{CP, "shl b32 $r4 $r1 0x3", "", 0x30000000, 0xc4000000},
	{CP, "shr u16 $r4l $r1l $r2l", "", 0x30000000, 0xe0000000},
	{CP, "shr u32 $c1 $r4 $r1 0x3", "", 0x30000000, 0xe4000000},
	{CP, "shr s32 $r4 $r1 $r2", "", 0x30000000, 0xec000000},
	{CP, "shr s16 $r4l $r1l 0x3", "", 0x30000000, 0xe8000000},
	// 5. those without an encoding in the notes
	{FP, "interp $r4 v[0x4]", "", 0, 0},
	{FP, "interp cent $r4 v[0x4] $r1", "interp $r4 cent v[0x4] $r1", 0, 0},
	{FP, "interp flat $r4 v[0x4]", "interp $r4 flat v[0x4]", 0, 0},
	{FP, "interp cent flat $r4 v[0x4]", "interp $r4 flat v[0x4]", 0, 0},
	{CP, "rcp f32 $r4 $r1", "", 0, 0},
	{CP, "rsqrt f32 $r4 $r1", "", 0, 0},
	{CP, "lg2 f32 $r4 $r1", "", 0, 0},
	{CP, "sin f32 $r4 $r1", "", 0, 0},
	{CP, "cos f32 $r4 $r1", "", 0, 0},
	{CP, "ex2 f32 $r4 $r1", "", 0, 0},
	{CP, "presin f32 $r4 $r1", "", 0, 0},
	{CP, "preex2 f32 $r4 $r1", "", 0, 0},
	{CP, "mov lock $c0 $r1 s[0x10]", "ld lock $c0 $r1 b32 s[0x10]", 0, 0},
	{CP, "mov unlock s[0x10] $r1", "st unlock b32 s[0x10] $r1", 0, 0},
	{CP, "vote any $c0", "", 0, 0},
	{CP, "(l $c1) vote all $c0", "", 0, 0},
	{CP, "set $r4 le f32 $r1 $r2", "", 0, 0},
	{CP, "set $c0 $r4 lge f64 $r0d $r2d", "", 0, 0},
	{CP, "min f32 $r4 $r1 $r2", "", 0, 0},
	{CP, "max f64 $r4d $r0d $r2d", "", 0, 0},
	{CP, "cvt u8 $r4 s32 $r1", "", 0, 0},
	{CP, "cvt sat u8 $r4 s32 $r1", "cvt u8 $r4 s32 $r1", 0, 0},
	{CP, "cvt rzi s32 $r4 f32 $r1", "", 0, 0},
	{CP, "cvt rn f32 $r4 u8 $r1l", "", 0, 0},
	{CP, "cvt rz f32 $r4 f64 $r0d", "", 0, 0},
	{CP, "cvt rni f32 $r4 f32 $r1", "", 0, 0},
	{CP, "add rn f32 $r4 $r1 $r2", "", 0, 0},
	{CP, "add sat rz f32 $r4 $r1 $r2", "", 0, 0},
	{CP, "mul rn f32 $r4 $r1 $r2", "", 0, 0},
	{CP, "mul sat rz f32 $r4 $r1 $r2", "", 0, 0},
	{CP, "slct b32 $r4 $r1 $r2 f32 $r3", "", 0, 0},
	{CP, "quadop f32 add sub subr mov2 $r4 l2 $r1 $r2", "", 0, 0},
	{FP, "quadop f32 add sub subr mov2 $r4 dox $r1 $r2", "quadop f32 add sub subr mov2 $r4 dx $r1 $r2", 0, 0},
	{FP, "quadop f32 mov2 add add sub $r4 doy $r1 $r2", "quadop f32 mov2 add add sub $r4 dy $r1 $r2", 0, 0},
	{CP, "add f32 $r4 mul $r1 $r2 $r3", "add f32 $r4 (mul $r1 $r2) $r3", 0, 0},
	{CP, "fma f64 $r4d $r0d $r2d $r6d", "fma rn f64 $r4d $r0d $r2d $r6d", 0, 0},
	{FP, "texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0", "", 0, 0},
	{CP, "texauto deriv live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0", "texauto live deriv $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0", 0, 0},
	{CP, "texbias deriv all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0", "texbias all deriv $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0", 0, 0},
	{CP, "texlod live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0", "", 0, 0},
	{CP, "texsize live $r0:$r1:$r2:$r3 $t0 $s0 $r0", "", 0, 0},
	{CP, "texfetch all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0", "", 0, 0},
	{GP, "emit", "", 0, 0},
	{GP, "restart", "", 0, 0},
	{CP, "bra 0x10", "", 0, 0},
	{CP, "call 0x10", "", 0, 0},
	{CP, "ret", "", 0, 0},
	{CP, "breakaddr 0x10", "", 0, 0},
	{CP, "break", "", 0, 0},
	{CP, "quadon", "", 0, 0},
	{CP, "quadpop", "", 0, 0},
	{CP, "bar sync 0x3", "bar inc wait 0x3 all", 0, 0},
	{CP, "trap", "", 0, 0},
	{CP, "joinat 0x20", "", 0, 0},
	{CP, "brkpt", "", 0, 0},
	{CP, "exit nop", "", 0, 0},
	{CP, "join nop", "", 0, 0},
	{CP, "exit add $r4 mul u16 $r1l $r2l $r3", "exit add $r4 (mul u16 $r1l $r2l) $r3", 0x60000000, 0},
	{CP, "join (lg $c1)  add  sat b32 $r4 $r1 $r2", "join (lg $c1) add b32 sat $r4 $r1 $r2", 0x20000000, 0x0c000000},
}

// seedTarget is g200 in the dialect of the notes.
func seedTarget(t *testing.T, stage int) *isa.Target {
	tg, err := Set().At(G200, stage).With(Seed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

// encoded is the words of a text.
func encoded(t *testing.T, tg *isa.Target, text string) []byte {
	var b isa.Bundle
	if err := tg.Parse(text, 0, &b); err != nil {
		t.Errorf("%s: %v", text, err)
		return nil
	}
	code, err := b.Parts[0].Encode(nil)
	if err != nil {
		t.Errorf("%s: %v", text, err)
	}
	return code
}

// TestNotes: the dialect of the notes reads each of their lines as the text of envydis with the bits that the notes
// give. The dialect of envydis refuses those that it writes differently, with a hint.
func TestNotes(t *testing.T) {
	for _, c := range notesLines {
		tg, want := Set().At(G200, c.stage), c.envydis
		if want == "" {
			want = c.notes
		}
		code := encoded(t, tg, want)
		if got := encoded(t, seedTarget(t, c.stage), c.notes); !bytes.Equal(got, code) {
			t.Errorf("%s: %x, want %x as %s", c.notes, got, code, want)
		}
		if len(code) < 4 || binary.LittleEndian.Uint32(code)&c.first != c.first || c.second != 0 && binary.LittleEndian.Uint32(code[4:])&c.second != c.second {
			t.Errorf("%s: %x lacks some of the bits %08x %08x of the notes", c.notes, code, c.first, c.second)
		}
		var b isa.Bundle
		if err := tg.Parse(c.notes, 0, &b); err == nil {
			if c.envydis != "" && !strings.HasPrefix(c.envydis, "mov $r4 $") {
				t.Errorf("%s: the dialect of envydis takes it", c.notes)
			}
		} else if c.envydis == "" || !strings.HasSuffix(isa.AsError(err).Hint, "here it is "+strconv.Quote(c.envydis)) {
			t.Errorf("%s: %v, %q, want %q", c.notes, err, isa.AsError(err).Hint, c.envydis)
		}
	}
}

// TestNotesSpellings: every spelling of the table is used by a line of the notes.
func TestNotesSpellings(t *testing.T) {
	lines := []string{"set $r4 el u32 $r1 $r2", "set $c0 $r4 eg s32 $r1 $r2", "interp $r4 cent flat v[0x4]"}
	for _, c := range notesLines {
		lines = append(lines, c.notes)
	}
	for i, p := range notesPatterns() {
		if !slices.ContainsFunc(lines, p.MatchString) {
			t.Errorf("no line has the spelling %s", notesSpellings[i].notes)
		}
	}
}

// TestNotesSets: any order of l, g and e is the same set.
func TestNotesSets(t *testing.T) {
	for envydis, orders := range map[string][]string{"le": {"el"}, "lg": {"gl"}, "ge": {"eg"}, "always": {"lge", "leg", "elg", "egl", "gle", "gel"}} {
		want := encoded(t, Set().At(G200, CP), "set $c1 $r4 "+envydis+" s32 $r1 $r2")
		for _, order := range orders {
			if got := encoded(t, seedTarget(t, CP), "set $c1 $r4 "+order+" s32 $r1 $r2"); !bytes.Equal(got, want) {
				t.Errorf("%s: %x, want %x", order, got, want)
			}
		}
	}
}

// TestNotesFiles: files, with short instructions in pairs and alone, labels, constants and comments.
func TestNotesFiles(t *testing.T) {
	for _, c := range [...]struct{ notes, envydis string }{
		{"add sat b32 $r4 $r1 $r2\nadd sat b32 $r5 $r1 $r2\nexit nop", "add sat b32 $r4 $r1 $r2\nadd sat b32 $r5 $r1 $r2\nexit nop"},
		{"add sat b32 $r4 $r1 $r2\nexit nop", "add b32 sat $r4 $r1 $r2\nexit nop"},
		{"add sat b32 $r4 $r1 $r2\nx: add sat b32 $r4 $r1 $r2\nbra x", "add b32 sat $r4 $r1 $r2\nx: add b32 sat $r4 $r1 $r2\nbra x"},
		{".equ n, 3\nbar sync n // all\nmov lock $c0 $r1 s[n*4+4] \nexit nop", "bar inc wait 3 all\nld lock $c0 $r1 b32 s[0x10]\nexit nop"},
	} {
		want, errs := asm.Assemble(Set().At(G200, CP), []byte(c.envydis), asm.Options{})
		if len(errs) > 0 {
			t.Errorf("%s: %v", c.envydis, errs)
			continue
		}
		got, errs := asm.Assemble(Set().At(G200, CP), []byte(".dialect seed\n"+c.notes), asm.Options{})
		if len(errs) > 0 || !bytes.Equal(got.Code, want.Code) {
			t.Errorf("%s: %x, %v, want %x", c.notes, got.Code, errs, want.Code)
		}
	}
}

// TestNotesErrors: an error is placed at the part of the notes' line that is wrong.
func TestNotesErrors(t *testing.T) {
	for _, c := range [...]struct {
		text, at string
	}{
		{"add sat b32 $c0 $r4 $r1 $x2", "$x2"},
		{"exit  add $r4 mul u16 $r1l $q2 $r3", "$q2"},
		{"mov lock $c0 $r1 s[0x11]", "s[0x11]"},
		{"interp flat $r4 v[0x4] $r1", "$r1"},
	} {
		stage := CP
		if strings.HasPrefix(c.text, "interp") {
			stage = FP
		}
		var b isa.Bundle
		err := seedTarget(t, stage).Parse(c.text, 0, &b)
		if want := strings.Index(c.text, c.at) + 1; err == nil || isa.AsError(err).Col != want || isa.AsError(err).Source != c.text {
			t.Errorf("%s: %v, want it at column %d", c.text, err, want)
		}
	}
}

// FuzzNotes: any file in the dialect of the notes is assembled, or has errors with places in it.
func FuzzNotes(f *testing.F) {
	for _, c := range notesLines {
		f.Add(c.notes)
	}
	f.Fuzz(func(t *testing.T, src string) { laws.FuzzFile(t, seedTarget(t, CP), src) })
}
