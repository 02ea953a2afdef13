package check

import "github.com/heddle-gpu/heddle/sanitize"

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
