package exec_test

import (
	"errors"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/mem"
)

// sampled is a sampler with an identity.
type sampled struct{ n int }

func (*sampled) Sample(*mem.Quad) {}

// TestHandles: handles are found up to the last one, with gaps. Those that the lists lack are requested from the
// function.
func TestHandles(t *testing.T) {
	a, b, c := &sampled{1}, &sampled{2}, &sampled{3}
	r := &exec.Resources{Textures: []exec.Sampler{a, nil, b}, Streams: []*mem.Stream{{Stride: 1}, nil, {Stride: 3}}}
	for handle, want := range map[uint32]*sampled{0: a, 1: nil, 2: b, 3: nil, 1 << 31: nil, ^uint32(0): nil} {
		got, err := r.Texture(handle)
		if want == nil && err == nil || want != nil && (err != nil || got != exec.Sampler(want)) {
			t.Errorf("texture %d: %v, %v", handle, got, err)
		}
		s, err := r.Stream(handle)
		if want == nil && err == nil || want != nil && (err != nil || s.Stride != uint64(handle)+1) {
			t.Errorf("stream %d: %v, %v", handle, s, err)
		}
	}
	none := errors.New("none")
	r.TextureOf = func(handle uint32) (exec.Sampler, error) {
		if handle == 1 {
			return c, nil
		}
		return nil, none
	}
	for handle, want := range map[uint32]*sampled{0: a, 1: c, 2: b} {
		if got, err := r.Texture(handle); err != nil || got != exec.Sampler(want) {
			t.Errorf("texture %d: %v, %v", handle, got, err)
		}
	}
	if _, err := r.Texture(3); !errors.Is(err, none) {
		t.Error(err)
	}
}

// TestSame: Same returns the slot if all lanes of the call use one, known beforehand or found; false otherwise, and
// if no lane executes the op.
func TestSame(t *testing.T) {
	for _, one := range []bool{false, true} {
		c := &exec.IOCall{Lanes: 0x8000_0000_0000_0110, One: one}
		for i := range c.Slot {
			c.Slot[i] = 7
		}
		if slot, ok := c.Same(); slot != 7 || !ok {
			t.Errorf("one %v: slot %d, %v", one, slot, ok)
		}
		if c.Lanes = 0; one {
			if _, ok := c.Same(); ok {
				t.Error("a slot of no lanes")
			}
		}
	}
	c := &exec.IOCall{Lanes: 0x8000_0000_0000_0110}
	c.Slot[63] = 1
	if _, ok := c.Same(); ok {
		t.Error("lane 63 asks for another slot")
	}
}
