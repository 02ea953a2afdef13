package gcn

import (
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/object"
)

// TestGroupCounts: code objects of version 2 may request the number of groups, after the other user SGPRs.
func TestGroupCounts(t *testing.T) {
	d := &dispatch{kernel: &object.Kernel{}}
	d.grid.Groups = [3]uint32{5, 7, 11}
	d.kernel.Descriptor = object.Descriptor{GroupCounts: 5, Properties: 1 << 4, Rsrc2: 4 << 1}
	if got := newWaveStart(&d.kernel.Descriptor, d.userWords(), [3]uint32{1, 1, 1}, nil).regs.user; !slices.Equal(got, []uint32{0, 0, 5, 11}) {
		t.Errorf("user SGPRs %v", got)
	}
}
