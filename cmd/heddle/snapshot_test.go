package main

import (
	"bytes"
	"slices"
	"testing"
)

// TestSnapshot: a snapshot of zeros and others, with a short last block, finds each changed byte and restores it.
func TestSnapshot(t *testing.T) {
	data := make([]byte, 3*len(zeros)+5)
	data[len(zeros)+1], data[len(data)-1] = 7, 9
	was := bytes.Clone(data)
	s := snapshotOf(data)
	if s.zero() || !s.equal(data) || !bytes.Equal(s.bytes(), was) {
		t.Fatalf("zero %v, equal %v", s.zero(), s.equal(data))
	}
	for _, at := range []int{0, len(zeros) - 1, len(zeros), len(zeros) + 1, 3 * len(zeros), len(data) - 1} {
		data[at]++
		if s.equal(data) {
			t.Errorf("byte %d: the change is not found", at)
		}
		if s.restore(data); !bytes.Equal(data, was) {
			t.Errorf("byte %d is not restored", at)
		}
	}
	if empty := snapshotOf(nil); !empty.zero() || !empty.equal(nil) {
		t.Error("an empty buffer is not as it was")
	}
	if z := snapshotOf(make([]byte, 100)); !z.zero() || z.equal(slices.Repeat([]byte{1}, 100)) {
		t.Error("zeros are ones")
	}
}
