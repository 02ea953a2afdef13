package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/object"
)

// TestArgSlots: which argument of a kernel each --arg is.
func TestArgSlots(t *testing.T) {
	named := []object.Arg{{Name: "a"}, {Name: "out"}, {Name: "n"}}
	for _, x := range []struct {
		texts string
		own   []object.Arg
		want  []int
		err   string
	}{
		{"zero:4 zero:8 u32:1", named, []int{0, 1, 2}, ""},
		{"a=zero:4 out=zero:8 n=u32:1", named, []int{0, 1, 2}, ""},
		{"n=u32:1 out=zero:8 a=zero:4", named, []int{2, 1, 0}, ""},
		{"n=u32:1 zero:4 zero:8", named, []int{2, 0, 1}, ""},
		{"zero:4 a=zero:8", named, []int{1, 0}, ""},
		{"n=u32:1", named, []int{2}, ""},
		{"zero:4 zero:4 u32:1 u32:2", named, []int{0, 1, 2, 3}, ""},
		{"a=zero:4 outt=zero:8", named, nil, `--arg outt=zero:8: the kernel has no argument "outt", did you mean "out"; it has a, out, n`},
		{"a=zero:4 a=zero:8", named, nil, `--arg a=zero:8: argument "a" is given twice`},
		{"x=zero:4 y=u32:1", []object.Arg{{Name: "a"}, {}}, []int{0, 1}, ""},
		{"x=zero:4", nil, []int{0}, ""},
	} {
		got, err := argSlots(strings.Fields(x.texts), x.own)
		if !slices.Equal(got, x.want) || (err == nil) != (x.err == "") || err != nil && err.Error() != x.err {
			t.Errorf("%s: %v, %v, want %v, %s", x.texts, got, err, x.want, x.err)
		}
	}
}
