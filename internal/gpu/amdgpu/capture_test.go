//go:build linux && amd64

package amdgpu

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/heddle-gpu/heddle/internal/gpu/drm"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// A capture whose files cannot be written is an error, and not a manifest without them.
func TestCaptureUnwritten(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "b2000.in.bin"), 0o777); err != nil { // where a file should be
		t.Fatal(err)
	}
	k := &gcn.RegisterLaunch{Entry: 0x1000, Grid: launch.Grid{Groups: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}}}
	c := &capture{folder: folder, k: k, touched: []touched{{drm.Mapping{VA: 0x2000, Size: 4096, Rights: mem.ReadWrite}, []byte{1}}}}
	err := c.put(&program{base: 0x1000, code: make([]byte, 8)}, &gcn.Tiling{Gen: 8})
	var path *fs.PathError
	if !errors.As(err, &path) || filepath.Base(path.Path) != "b2000.in.bin" {
		t.Errorf("%v, want that b2000.in.bin cannot be written", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "manifest.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a manifest: %v", err)
	}
}
