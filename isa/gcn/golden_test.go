package gcn

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/golden"
)

// TestGolden: each word of testdata/*.txt prints as the text next to it, and the text assembles to it.
func TestGolden(t *testing.T) { golden.Words(t, Set().At(gfx8, 0)) }
