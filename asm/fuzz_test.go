package asm_test

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/internal/toy"
)

// FuzzAssemble: any text assembles or gives errors with their places; it never panics, hangs or takes excessive
// memory.
func FuzzAssemble(f *testing.F) {
	for _, tt := range assembles {
		f.Add(tt.src)
	}
	f.Add("a: .zero 8 - a\nb:")
	f.Add(".set a, b\n.set b, a\n.org a<<40")
	f.Add("/* \" */ x: y: .ascii \"a//\\\"b\" ; z")
	for _, tt := range macros {
		f.Add(tt.src)
	}
	f.Add(".macro f a, b:vararg\nf \\b \\a\\@\n.endm\nf f, f\n.rept 99\n.irpc x, \\+\n.endr\n.endr")
	f.Fuzz(func(t *testing.T, src string) { laws.FuzzFile(t, toy.Set().At(0, 0), src) })
}

// FuzzListing: the exact listing of any bytes assembles to the same bytes.
func FuzzListing(f *testing.F) {
	for _, w := range hexOnly(listed) {
		f.Add(unhex(f, w), byte(0))
	}
	f.Add(unhex(f, "0000003300000032fe0f0f32"), byte(0x43))
	f.Fuzz(func(t *testing.T, code []byte, pick byte) {
		if len(code) <= 1024 {
			laws.Bytes(t, toy.Set().At(int(pick&1), int(pick>>1&1)), code, uint64(pick>>2)*4)
		}
	})
}

// FuzzWord: the laws of one instruction hold for any bytes.
func FuzzWord(f *testing.F) {
	f.Add(unhex(f, "2103010854060400"))
	f.Add(unhex(f, "00802060")) // a move that is a nop except for unclaimed bits
	f.Fuzz(func(t *testing.T, code []byte) {
		for v := range 2 {
			laws.FuzzWord(t, toy.Set().At(v, v), code)
		}
	})
}

// FuzzText: any line is an instruction that prints and reads back the same, or an error with its place.
func FuzzText(f *testing.F) {
	for _, tt := range assembles {
		f.Add(tt.src)
	}
	f.Fuzz(func(t *testing.T, text string) {
		laws.FuzzText(t, toy.Set().At(0, 0), text)
	})
}
