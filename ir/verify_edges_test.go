package ir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/ir"
)

// accesses are the memory ops, each with a placeholder for its attributes, and whether it writes.
var accesses = []struct {
	text   string
	writes bool
}{
	{"%%y = load.i32 %s[4] %%c, %%e", false},
	{"check load %s[4] %%c, %%e", false},
	{"check store %s[4] %%c, %%e", true},
	{"store %s[4] %%c, %%x, %%e", true},
	{"%%y = atomic.i32 %s[4 add] %%c, %%x, %%e", true},
}

// TestVerifySpaces: every op on memory in every space and at the limits of its banks. The constant space is
// read-only.
func TestVerifySpaces(t *testing.T) {
	m := irgen.Machine()
	banks := map[string]int{"none": 0, "global": 3, "group": 2, "private": 2, "const": 4, "flat": 1}
	for space, n := range banks {
		for _, bank := range []int{0, 1, n - 1, n, 255} {
			if bank < 0 {
				continue
			}
			name := space
			if bank != 0 {
				name = fmt.Sprintf("%s:%d", space, bank)
			}
			for _, a := range accesses {
				text := fmt.Sprintf(a.text, name)
				want := ""
				switch {
				case n == 0:
					want = "the machine has no none space [memory]"
				case bank >= n:
					want = fmt.Sprintf("bank %d of %s space; the machine has %d [memory]", bank, space, n)
				case space == "const" && a.writes:
					want = "writes const space [memory]"
				}
				wantRefused(t, m, text, want)
			}
		}
	}
	// A space that the machine does not have.
	m.Spaces[ir.GroupSpace] = 0
	for _, a := range accesses {
		wantRefused(t, m, fmt.Sprintf(a.text, "group"), "the machine has no group space [memory]")
	}
}

// wantRefused verifies the op after the prelude; an empty want means that it must pass.
func wantRefused(t *testing.T, m *ir.Machine, op, want string) {
	t.Helper()
	b, err := ir.Parse(m, prelude+op+"\nend")
	if err == nil {
		err = ir.Verify(m, b)
	}
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("%s: %v, want %q", op, err, want)
	}
}

// TestVerifyAttributes: among the ops on memory only loads may be volatile or of a descriptor; the number after a
// check is an access right.
func TestVerifyAttributes(t *testing.T) {
	m := irgen.Machine()
	for _, c := range []struct{ op, want string }{
		{"%y = load.i32 global[4 volatile] %c, %e", ""},
		{"check load global[4 volatile] %c, %e", "volatile, but no load [fields]"},
		{"%y = load.i32 global[4 silent] %c, %e", ""},
		{"check load global[4 silent] %c, %e", "silent, but no access [fields]"},
		{"check store global[4 volatile] %c, %e", "volatile, but no load [fields]"},
		{"%y = atomic.i32 global[4 volatile add] %c, %x, %e", "volatile, but no load [fields]"},
		{"%y = load.i32 global[4 descriptor] %c, %e", ""},
		{"check load global[4 descriptor] %c, %e", "of a descriptor, but no load [fields]"},
		{"store global[4 descriptor] %c, %x, %e", "of a descriptor, but no load [fields]"},
		{"wait vm, 15", ""},
		{"wait vm, 16", "for at most 16 of vm: want 0 to 15 [queue]"},
		{"wait slot, 0", ""},
		{"wait slot, 1", "for at most 1 of slot: want 0 [queue]"},
		{"barrier 4, 255", ""},
		{"barrier 4, 767", ""}, {"barrier 4, 768", "barrier 768, the highest is 255, or with what waves do there 767 [fields]"},
	} {
		op := c.op
		if strings.HasPrefix(op, "barrier") { // it ends the block itself
			b, err := ir.Parse(m, prelude+op)
			if err == nil {
				err = ir.Verify(m, b)
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: %v, want %q", op, err, c.want)
			}
			continue
		}
		wantRefused(t, m, op, c.want)
	}
}

// TestVerifyIssue: the spans of an issue op at the ends of every file, both written and read.
func TestVerifyIssue(t *testing.T) {
	m := irgen.Machine()
	for f := range m.Files {
		n := m.Files[f].Count
		for _, c := range []struct {
			first, count int
			good         bool
		}{{0, n, true}, {n - 1, 1, true}, {0, 1, true}, {0, 0, false}, {n - 1, 2, false}, {n, 1, false}, {0, n + 1, false}} {
			for _, writes := range []bool{false, true} {
				bad := ir.Span{Cell: ir.Cell{File: uint8(f), Index: uint16(c.first)}, Count: uint16(c.count)}
				wantIssue(t, m, bad, writes, c.good)
			}
		}
	}
	for _, file := range []int{len(m.Files), len(m.Files) + 1, 255} {
		for _, writes := range []bool{false, true} {
			wantIssue(t, m, ir.Span{Cell: ir.Cell{File: uint8(file)}, Count: 1}, writes, false)
		}
	}
}

// wantIssue verifies a block that issues an operation on valid cells and those of the span.
func wantIssue(t *testing.T, m *ir.Machine, s ir.Span, writes, good bool) {
	t.Helper()
	b, err := ir.Parse(m, "block 0\nmark 0 size 4\nissue vm writes v[0] x 16 reads s[7]\nend")
	if err != nil {
		t.Fatal(err)
	}
	in := &b.Ops[0]
	w, r := b.Touched(in)
	if len(w) != 1 || len(r) != 1 {
		t.Fatalf("%d and %d spans", len(w), len(r))
	}
	if writes {
		w[0] = s
	} else {
		r[0] = s
	}
	want := fmt.Sprintf("op 0: issue: %d cells from %d of file %d up are not in the machine [cell]", s.Count, s.Cell.Index, s.Cell.File)
	if err = ir.Verify(m, b); good != (err == nil) || !good && err.Error() != "ir: "+want {
		t.Errorf("%+v, writes %t: %v", s, writes, err)
	}
}
