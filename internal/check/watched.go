package check

import (
	"github.com/heddle-gpu/heddle/profile"
	"github.com/heddle-gpu/heddle/sanitize"
)

// Watched observes one case, or the launches of one program, as they run. It is a launch.Watcher.
type Watched struct{ *sanitize.Sanitizer }

// Watch returns an observer with these checks; nil if there are none. found is as of sanitize.New.
func Watch(checks sanitize.Check, found func(*sanitize.Finding)) *Watched {
	if checks == 0 {
		return nil
	}
	return &Watched{sanitize.New(checks, found)}
}

// InDraws are the checks that look at draws.
const InDraws = sanitize.CheckInit | sanitize.CheckMemory | sanitize.CheckWait

// A counting counts what a case runs, for Options.Coverage. It is a launch.Watcher.
type counting struct {
	*profile.Profiler
	*checker
	r *Result
}

// counting returns what counts a case; nil: nothing does.
func (c *checker) counting(r *Result) *counting {
	if c.Coverage == nil {
		return nil
	}
	return &counting{c.profilers.Get().(*profile.Profiler), c, r}
}

// add adds what was counted to the coverage.
func (x *counting) add() {
	x.Coverage.Add(x.r.Name, x.r.Code, x.Profiler)
	x.Reset()
	x.profilers.Put(x.Profiler)
}
