package launch

import (
	"context"
	"time"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/object"
)

// Scenes is what the launch package of an instruction set offers for draws that a driver recorded. Package launch/all lists
// them.
type Scenes struct {
	// Draw carries out the draw of a variant.
	Draw func(ctx context.Context, s *object.GCNScene, v *object.GCNVariant, set Settings) (*Drawn, error)
	// Sample runs the sample wave of a variant, and gives its exports in their order.
	Sample func(ctx context.Context, s *object.GCNScene, v *object.GCNVariant, set Settings) ([]object.GCNExport, *exec.Counters, error)
}

// A Drawn is what a draw has left.
type Drawn struct {
	exec.Counters
	Width, Height       int
	Targets             []DrawnTarget     // as the scene lists them
	Buffers             map[string][]byte // of the variant, by name
	Vertices, Triangles int
	Time                time.Duration
}

// A DrawnTarget is the pixels of a target, row by row from the top: red, green, blue, alpha as bits of f32, or of 32-bit
// integers. Channels that its format lacks are 0, 0, 0, 1.
type DrawnTarget struct {
	Integer bool
	Pixels  [][4]uint32
}
