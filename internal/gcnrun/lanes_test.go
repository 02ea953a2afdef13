package gcnrun

import (
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// TestInactiveLanes: rows run under partial execution masks.
func TestInactiveLanes(t *testing.T) {
	n := laws.Lanes(t, gcn.Set(), laws.RunOptions{
		Ignores: map[string]string{"v_writelane_b32": "writes the lane it names, active or not"},
		Scalar:  func(d *isa.Def) bool { return d.Enc.Name == "SMEM" || d.Enc.Name == "SMRD" },
		Prepare: func(st *exec.State) {
			st.Set(gcn.CellMode, 0, 0x3c0)
			st.Set(gcn.CellM0, 0, 0x3f0)
			st.Set(gcn.CellPrivateBase, 0, 0x20000)
			st.Set(gcn.CellSharedBase, 0, 0x10000)
		},
	})
	t.Logf("%d runs", n)
}
