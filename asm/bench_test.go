package asm_test

import (
	"io"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/internal/toy"
	"github.com/heddle-gpu/heddle/isa"
)

// program returns words of all rows of the toy, one instruction each.
func program(b *testing.B) (code []byte, insts int) {
	s := toy.Set()
	var bundle isa.Bundle
	for i := range s.Defs {
		d := &s.Defs[i]
		if d.Private || d.Alias || !d.InVariant(0) {
			continue
		}
		for _, w := range laws.Words(s.At(0, 0), d, laws.Options{Words: 16}) {
			c := w.Code()
			if s.At(0, 0).DecodeBundle(c, 0, &bundle) == nil {
				code = append(code, c...)
				insts++
			}
		}
	}
	return code, insts
}

func perInst(b *testing.B, insts int) {
	b.ReportMetric(float64(insts)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Minst/s")
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(insts)/float64(b.N), "ns/inst")
}

// Instructions decoded and printed per second, including bundles and random operands.
func BenchmarkDecodePrint(b *testing.B) {
	code, insts := program(b)
	s := toy.Set()
	dec := s.At(0, 0)
	var bundle isa.Bundle
	buf := make([]byte, 0, 256)
	b.ReportAllocs()
	for b.Loop() {
		for at := 0; at < len(code); at += bundle.Size() {
			if err := dec.DecodeBundle(code[at:], uint64(at), &bundle); err != nil {
				b.Fatal(err)
			}
			buf = dec.Print(buf[:0], &bundle)
		}
	}
	perInst(b, insts)
}

// lines returns the program as text.
func lines(b *testing.B) []string {
	code, _ := program(b)
	var text strings.Builder
	if err := asm.List(&text, toy.Set().At(0, 0), code, 0, asm.ListOptions{}); err != nil {
		b.Fatal(err)
	}
	var out []string
	for _, l := range strings.Split(text.String(), "\n") {
		if strings.HasPrefix(l, "\t") && !strings.Contains(l, "L_") {
			out = append(out, l)
		}
	}
	return out
}

// Lines parsed per second by one scan.
func BenchmarkParse(b *testing.B) {
	ls := lines(b)
	sc := isa.Scan{Target: toy.Set().At(0, 0)}
	var bundle isa.Bundle
	b.ReportAllocs()
	for b.Loop() {
		for _, l := range ls {
			sc.Reset(l, 0)
			if err := sc.ParseBundle(&bundle); err != nil {
				b.Fatal(l, err)
			}
		}
	}
	perInst(b, len(ls))
}

// Instructions assembled per second from a file with labels and comments.
func BenchmarkAssemble(b *testing.B) {
	ls := lines(b)
	src := []byte(strings.Repeat("top: "+strings.Join(ls, " // comment\n")+"\nbra .\n", 1))
	b.ReportAllocs()
	for b.Loop() {
		if _, errs := asm.Assemble(toy.Set().At(0, 0), src, asm.Options{}); len(errs) > 0 {
			b.Fatal(errs[0])
		}
	}
	perInst(b, len(ls)+1)
}

// Instructions per second in a listing that is checked to assemble back.
func BenchmarkListExact(b *testing.B) {
	code, insts := program(b)
	for b.Loop() {
		if err := asm.List(io.Discard, toy.Set().At(0, 0), code, 0, asm.ListOptions{Exact: true}); err != nil {
			b.Fatal(err)
		}
	}
	perInst(b, insts)
}
