package tesla

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
)

func TestRules(t *testing.T) { laws.Rules(t, Set()) }
