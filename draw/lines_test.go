package draw

import (
	"testing"
	"unsafe"
)

// TestLines: rows of waves begin at cache lines, so that a vector of sixteen lanes is in one line.
func TestLines(t *testing.T) {
	for range 50 {
		p := newPainter(&Call{Shader: &WaveShader{}}, &Canvas{Width: 64, Height: 64}, &outs{})
		if at := uintptr(unsafe.Pointer(p.wave.waveRows)); at%64 != 0 {
			t.Fatalf("rows begin %d bytes behind a line", at%64)
		}
	}
}
