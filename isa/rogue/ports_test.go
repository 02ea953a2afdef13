package rogue

import (
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestPortNames checks that a port has one digit: a longer number is rejected, and not read as its last digit.
func TestPortNames(t *testing.T) {
	tg := Set().At(0, 0)
	var b isa.Bundle
	if err := tg.Parse("{ s0 = r1, s1 = r2, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r0 }", 0, &b); err != nil {
		t.Fatal(err)
	}
	for _, port := range []string{"s31", "s01", "s6", "i1", "w1 1", "w11", "iss1", "ws1"} {
		if err := tg.Parse("{ s0 = r1, "+port+" = r2, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r0 }", 0, &b); err == nil {
			t.Errorf("%s is read as a port", port)
		}
	}
}
