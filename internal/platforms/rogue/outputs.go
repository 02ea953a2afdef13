package rogue

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
)

// oneVertex rejects all but the first vertex of an instance, because the vertex outputs hold only one. It implements
// exec.Outputs.
type oneVertex struct{}

func (oneVertex) Output(c *exec.IOCall) (refused uint64, err error) {
	if c.Lanes == 0 {
		return 0, nil
	}
	return c.Lanes, fmt.Errorf("uvsw.emit: a second vertex of an instance: what takes the vertices of geometry programs is not public")
}
