package launch_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/launch"
)

// A broken target has a defect in one group.
type broken struct {
	ids
	at    uint64
	begun *atomic.Int64
}

func (b broken) NewGroup(g *launch.Group, _ *exec.Env) error {
	b.begun.Add(1)
	if uint64(g.Index) == b.at {
		panic("a defect")
	}
	return nil
}

// TestDefect: a panic in any worker reaches the caller, and no worker is still running then.
func TestDefect(t *testing.T) {
	const groups = 20000 // so many that another worker is not through half of them before it hears of the defect
	for _, workers := range []int{1, 4} {
		l, _ := newLaunch(reverse, groups, 40*4*groups)
		var begun atomic.Int64
		l.Workers, l.Target = workers, broken{at: 37, begun: &begun}
		said := func() (p any) {
			defer func() { p = recover() }()
			_, err := l.Run(t.Context())
			t.Errorf("%d workers: %v", workers, err)
			return nil
		}()
		text, _ := said.(string)
		if !strings.HasPrefix(text, "a defect\n") || !strings.Contains(text, "broken.NewGroup") {
			t.Errorf("%d workers: %v", workers, said)
		}
		if n := begun.Load(); n < 38 || n > groups/2 {
			t.Errorf("%d workers: %d groups have begun", workers, n)
		}
	}
}
