package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/coverage"
	"github.com/heddle-gpu/heddle/internal/many"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/internal/vectors"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/profile"
	"github.com/heddle-gpu/heddle/sanitize"
)

// Options select cases and say how to run them. The zero value runs all on the reference engine.
type Options struct {
	ISA         string         // only cases of this instruction set: gcn, gcn:gfx8, gfx803
	Variant     string         // only cases of this variant or alias; with ISA
	Run         *regexp.Regexp // only cases whose Result.Name matches
	Flags       string         // only claims of pairs with one of these flags
	Engine      exec.Engine
	Workers     int         // number of cases that run at once; 0: the number of processors of the host
	Limits      exec.Limits // of each wave and launch
	SkipLacking bool        // count a case that needs an instruction without known semantics as skipped, not as failed
	Each        func(Result)
	// Include are globs that select files in folders, as for many.Paths; other files are ignored. Empty: all files.
	Include []string
	// AllowOutside permits links that lead out of the folder of a manifest or frame.
	AllowOutside bool
	Stdin        []byte // contents of the path -
	// Strict makes cases fail that would be skipped, and files that have only some keys of a case file.
	Strict bool
	// Sanitize is the checks of the sanitizer that run beside: cases and kernels fail in which they find something of
	// severity FailOn or worse. Cases without expectations run, too.
	Sanitize  sanitize.Check
	FailOn    isa.Severity
	NeverFail bool // whatever they find
	// Coverage gets what ran of the code of cases, and which instructions test vectors ran; nil: it is not counted. Not
	// together with Sanitize.
	Coverage *coverage.Coverage
	// Accept may remove findings of a case before they make it fail. Several goroutines call it. nil: all count.
	Accept func(*Result)
}

// A Status is the outcome of a case.
type Status uint8

const (
	Passed Status = iota
	Failed
	Skipped
	Unreadable // a file or folder, not a case
)

var statusNames = [...]string{"passed", "failed", "skipped", "unreadable"}

func (s Status) String() string { return statusNames[s] }

// A Result is the outcome of one check: one claim of a pair, one state case, all launches of one build of a kernel, all
// recorded invocations of one program of a frame, the picture of a frame, or the picture or sample wave of a recorded
// draw.
type Result struct {
	Kind    casefile.FileKind
	File    string
	Line    int    // 0 for kernels
	Col     int    // 0 if it is not known
	Set     string // of cases: pairs/gcn-llvm, state/gcn-valu, kernels/gcn
	ISA     string // gcn:gfx8
	Name    string // of the state case or build; of a pair its text, or hex if it has none
	Flag    byte   // of a pair
	Status  Status
	What    string // why it failed or was skipped
	Note    string // how much was compared, if the result covers many values
	Lacking bool   // because an instruction has no semantics yet
	Found   Findings
	// With Options.Sanitize: what findings are about.
	Case       string      // a name that no other result has: Finding.Case
	Code       string      // path of the code
	Text       []byte      // of Code, if that is assembly; nil: it is not
	Target     *isa.Target // of Text
	Incomplete string      // what has not been looked at; "": nothing
	Uncounted  string      // with Options.Coverage: why what ran did not count; "": it did, or nothing ran
	// Instructions and Time measure the run of the case. An instruction counts once per wave.
	Instructions uint64
	About        bool // Instructions is an estimate
	Time         time.Duration
}

// String returns the line of a report, "path:12: name: what".
func (r Result) String() string {
	place := r.File
	if r.Line > 0 {
		place = fmt.Sprintf("%s:%d", r.File, r.Line)
	}
	if r.Col > 0 {
		place = fmt.Sprintf("%s:%d", place, r.Col)
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

// fail marks the result as failed for the reason what; "" does nothing.
func (r *Result) fail(what string) {
	if what != "" {
		r.Status, r.What = Failed, what
	}
}

func (r *Result) skip(reason string) { r.Status, r.What = Skipped, reason }

// unknown skips a case of an instruction set or variant that this build does not know: sets of cases may be newer than
// the build. The summary counts such cases in one line per name. With Strict they fail.
func (r *Result) unknown(err error) { r.skip("not known to this build: " + err.Error()) }

// Run checks the case files among the paths: files, and folders with all their subfolders. A file or folder that cannot
// be read gives a result, and the others are still checked. Cases that fail are no error. The error reports that the
// paths have no case file, that Options are invalid, or that ctx has ended; the summary then covers the cases before
// it.
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

// maxTold is the number of files that an error lists.
const maxTold = 20

// noFiles returns the error for paths without a case file. It lists what is there instead.
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

// files makes the tasks of files. An error in one file is a result.
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

// Total returns how many results Run gives, without running anything, for progress reports. It reads the files. It
// returns 0 if the number cannot be known because a file can be read only once.
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

// A checker is the immutable state that all tasks of a run share.
type checker struct {
	*Options
	isa, variant string // from Options, in canonical form; "": any
	verifier     *vectors.Verifier
	cases        map[string]int // how many have a name, for those that are watched
	profilers    sync.Pool      // whose counters need not be made anew
}

func newChecker(o *Options) (*checker, error) {
	c := &checker{Options: o, cases: map[string]int{}}
	c.profilers.New = func() any { return profile.New(nil) }
	if o.Engine == nil {
		o.Engine = ref.New()
	}
	if err := (&many.Paths{Include: o.Include}).Check(); err != nil {
		return nil, fmt.Errorf("check: %w", err)
	}
	c.verifier = vectors.NewVerifier(o.Engine)
	if o.Coverage != nil {
		c.verifier.Ran = o.Coverage.AddOne
	}
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

// alone returns a name that no earlier case has. It is for the goroutine that makes tasks.
func (c *checker) alone(name string) string {
	if c.Sanitize == 0 {
		return name
	}
	if c.cases[name]++; c.cases[name] > 1 {
		return fmt.Sprintf("%s, case %d", name, c.cases[name])
	}
	return name
}

// wants reports whether cases of an instruction set and variant are selected. A case that names no variant applies to
// all variants.
func (c *checker) wants(isa, variant string) bool {
	return (c.isa == "" || c.isa == isa) && (c.variant == "" || variant == "" || c.variant == variant)
}

// named reports whether a case with that name is selected.
func (c *checker) named(name string) bool { return c.Run == nil || c.Run.MatchString(name) }
