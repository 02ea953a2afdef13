package launch_test

import (
	"context"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
)

// TestWhole: an incomplete launch is an error that the caller gets, not a panic of a worker, which could not be
// recovered.
func TestWhole(t *testing.T) {
	const loop = "block 0x100\nmark 0x100 size 4\n  end\n"
	for want, change := range map[string]func(l *launch.Launch){
		"no engine":   func(l *launch.Launch) { l.Engine = nil },
		"no program":  func(l *launch.Launch) { l.Program = nil },
		"no program ": func(l *launch.Launch) { l.Program = exec.NewProgram(nil) },
		"no target":   func(l *launch.Launch) { l.Target = nil },
	} {
		l, _ := newLaunch(loop, 4, 64)
		change(l)
		if _, err := l.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "launch: "+strings.TrimSpace(want)) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	l, _ := newLaunch(loop, 4, 64)
	var none context.Context
	if _, err := l.Run(none); err == nil || err.Error() != "launch: no context" {
		t.Error(err)
	}
	p := endAtOnce()
	st, err := exec.NewState(p.Machine(), 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, env := context.Background(), &exec.Env{}
	for want, run := range map[string]func() error{
		"no context": func() error { return launch.RunWave(none, ref.New(), p, st, env, exec.Limits{}) },
		"no engine":  func() error { return launch.RunWave(ctx, nil, p, st, env, exec.Limits{}) },
		"a program":  func() error { return launch.RunWave(ctx, ref.New(), nil, st, env, exec.Limits{}) },
		"a state":    func() error { return launch.RunWave(ctx, ref.New(), p, nil, env, exec.Limits{}) },
		"an env":     func() error { return launch.RunWave(ctx, ref.New(), p, st, nil, exec.Limits{}) },
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
