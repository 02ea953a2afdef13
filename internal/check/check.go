package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/ref"
	"github.com/heddle-gpu/heddle/internal/many"
	"github.com/heddle-gpu/heddle/internal/vectors"
	"github.com/heddle-gpu/heddle/object"
)

// Options select cases and say how to run them. The zero value runs all on the reference engine.
type Options struct {
	ISA         string         // only cases of this instruction set: gcn, gcn:gfx8, gfx803
	Variant     string         // only cases of this variant or alias; with ISA
	Run         *regexp.Regexp // only cases whose Result.Name matches
	Flags       string         // only claims of pairs with one of these flags
	Engine      exec.Engine
	Workers     int         // cases at once; 0: as many as the host has processors
	Limits      exec.Limits // of each wave and launch
	SkipLacking bool        // count a case that lacks a meaning as skipped, not as failed
	Each        func(Result)
	// Include are globs of files of folders, as of many.Paths; others are passed over. None: all files are looked at.
	Include []string
	// AllowOutside lets links lead out of the folder of a manifest or frame.
	AllowOutside bool
	Stdin        []byte // what the path - stands for
	// Strict fails cases that would be skipped, and files that have some keys of a case file.
	Strict bool
	// Races fails cases and kernels in which waves meet in group memory with no barrier between; see sanitize.Races. Cases that
	// expect nothing are run, too.
	Races bool
	// Waits fails those in which an instruction touches a register before a pending operation has written it; see sanitize.Waits.
	Waits bool
}

// A Status is how a case ended.
type Status uint8

const (
	Passed Status = iota
	Failed
	Skipped
	Unreadable // a file or folder, not a case
)

var statusNames = [...]string{"passed", "failed", "skipped", "unreadable"}

func (s Status) String() string { return statusNames[s] }

// A Result is the outcome of one claim of a pair, one state case, all launches of one build of a
// kernel, all recorded invocations of one program of a frame, the picture of a frame, or the picture or sample wave of a
// recorded draw.
type Result struct {
	Kind    object.FileKind
	File    string
	Line    int    // 0 for kernels
	Set     string // of cases: pairs/gcn-llvm, state/gcn-valu, kernels/gcn
	ISA     string // gcn:gfx8
	Name    string // of the state case or build; of a pair its text, or hex if it has none
	Flag    byte   // of a pair
	Status  Status
	What    string // why it failed or was skipped
	Note    string // how much was compared, if one result stands for many
	Lacking bool   // for want of a meaning that is not built yet
	Found   Findings
	// Instructions and Time are of running the case: guest instructions, once a wave.
	Instructions uint64
	About        bool // Instructions is not exact
	Time         time.Duration
}

// String is the line of a report: "path:12: name: what".
func (r Result) String() string {
	place := r.File
	if r.Line > 0 {
		place = fmt.Sprintf("%s:%d", r.File, r.Line)
	}
	name := r.Name
	if r.Flag != 0 {
		name = fmt.Sprintf("%c %s", r.Flag, r.Name)
	}
	what := r.What
	if what == "" {
		what = r.Status.String()
		if r.Note != "" {
			what += ", " + r.Note
		}
	}
	return place + ": " + name + ": " + what
}

// fail notes what is wrong, if anything is.
func (r *Result) fail(what string) {
	if what != "" {
		r.Status, r.What = Failed, what
	}
}

func (r *Result) skip(reason string) { r.Status, r.What = Skipped, reason }

// unknown skips a case of an instruction set or variant that this build does not know. Sets of cases may be newer than the build;
// the summary counts such cases in one line for each name, and a strict run fails on them.
func (r *Result) unknown(err error) { r.skip("not known to this build: " + err.Error()) }

// Run checks the case files among the paths: files, and folders with all that is below them. A file or
// folder that cannot be read is a result, and the others are checked. The error is of paths without a case file, of
// Options, or of ctx; the summary then covers the cases before. Cases that fail are no error.
func Run(ctx context.Context, paths []string, o Options) (*Summary, error) {
	s := newSummary()
	if ctx == nil {
		return s, errors.New("check: no context")
	}
	c, err := newChecker(&o)
	if err != nil {
		return s, err
	}
	files, others := c.caseFiles(paths)
	s.Files, s.Others = len(files), others
	if len(files) == 0 {
		return s, noFiles(paths, others)
	}
	err = inOrder(ctx, o.Workers, func(emit func(task) bool) error { return c.files(ctx, files, emit) }, func(r Result) {
		if c.Strict && r.Status == Skipped {
			r.fail("skipped: " + r.What)
		}
		s.add(&r)
		if o.Each != nil {
			o.Each(r)
		}
	})
	return s, err
}

// maxTold is how many files an error lists.
const maxTold = 20

// noFiles is the error of paths without a case file: what there is instead.
func noFiles(paths []string, others []Other) error {
	text := "no case files in " + strings.Join(paths, ", ")
	if len(others) == 0 {
		return errors.New(text + ", nor any others")
	}
	for _, o := range others[:min(len(others), maxTold)] {
		text += fmt.Sprintf("\n  %s: %s", o.File, o.Why)
	}
	if n := len(others) - maxTold; n > 0 {
		text += fmt.Sprintf("\n  and %d more", n)
	}
	return errors.New(text)
}

// files makes the tasks of files. An error of one is a result.
func (c *checker) files(ctx context.Context, files []caseFile, emit func(task) bool) error {
	for _, f := range files {
		if err := c.file(ctx, f, emit); err != nil && ctx.Err() == nil {
			emit(one(func() Result { return f.unreadable(err) }))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// Total is how many results Run gives, without running anything: for who wants to know how far it is. The files are read for that. It is 0 if
// that cannot be known, as one of them can be read only once.
func Total(ctx context.Context, paths []string, o Options) (int, error) {
	for _, path := range paths {
		if info, err := os.Stat(path); path != stdin && err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			return 0, nil
		}
	}
	c, err := newChecker(&o)
	if err != nil {
		return 0, err
	}
	files, _ := c.caseFiles(paths)
	n := 0
	err = c.files(ctx, files, func(t task) bool {
		n += t.cases()
		return ctx.Err() == nil
	})
	return n, err
}

// A checker is what all tasks of a run share; nothing in it changes.
type checker struct {
	*Options
	isa, variant string // of Options, by their own names; "" for any
	verifier     *vectors.Verifier
}

func newChecker(o *Options) (*checker, error) {
	c := &checker{Options: o}
	if o.Engine == nil {
		o.Engine = ref.New()
	}
	if err := (&many.Paths{Include: o.Include}).Check(); err != nil {
		return nil, fmt.Errorf("check: %w", err)
	}
	c.verifier = vectors.NewVerifier(o.Engine)
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if bad := strings.Trim(o.Flags, allFlags); bad != "" {
		return nil, fmt.Errorf("no flag %q; there are %s", bad, allFlags)
	}
	if o.ISA == "" {
		if o.Variant != "" {
			return nil, fmt.Errorf("variant %q without an instruction set", o.Variant)
		}
		return c, nil
	}
	name := o.ISA
	if o.Variant != "" {
		name += ":" + o.Variant
	}
	var err error
	c.isa, c.variant, err = wanted(name)
	return c, err
}

// wants is whether cases of an instruction set and variant are selected. A case that names no
// variant is for all of them.
func (c *checker) wants(isa, variant string) bool {
	return (c.isa == "" || c.isa == isa) && (c.variant == "" || variant == "" || c.variant == variant)
}

// named is whether a case of that name is selected.
func (c *checker) named(name string) bool { return c.Run == nil || c.Run.MatchString(name) }
