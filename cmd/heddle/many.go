package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/internal/clang"
	"github.com/heddle-gpu/heddle/internal/many"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/object"
)

// Many is the flags of commands that process many files.
type Many struct {
	Include []string `sep:"none" placeholder:"GLOB" help:"Of folders, take the files that match, whatever they hold: '*.bin' is about the name, 'shaders/*.s' about the path below the folder. May be given several times."`
	Jobs    int      `short:"j" range:"0..4096" placeholder:"N" help:"Files at the same time; 0: as many as processors. The output is the same for every N."`
}

// several reports whether the command reports on several files: more than one path, a folder, or a flag about several
// files. The format of the output then does not depend on the number of files in a folder or glob.
func (m *Many) several(a *app, paths []string) bool {
	if len(paths) > 1 || a.given("include") || a.given("jobs") {
		return len(paths) > 0
	}
	if len(paths) == 0 {
		return false
	}
	return isFolder(paths[0])
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// only returns the path of a command that reports on one file; "" if it reports on several.
func only(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	return paths[0]
}

// jobs returns how many files are processed in parallel.
func (m *Many) jobs() int {
	if m.Jobs == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return m.Jobs
}

// A manyWork is what a command does with each of many files. R is the result for one file.
type manyWork[R any] struct {
	command string
	paths   []string
	take    func(path string) (bool, error) // selects files of folders
	takes   string                          // describes take, for errors
	// compiling is the flags of source files, which apply to the source files among them.
	compiling *Compiling
	work      func(a *app, f many.File) (R, error)
	// claim is called for each file before it is processed, in order; it returns what is wrong with the file. May be
	// nil.
	claim func(f many.File) error
	// done, if not nil, receives the results in the order of the files.
	done func(f many.File, r R, err error) error
	// failed, if not nil, prints an error of a file in the report; it is printed on standard error in any case.
	failed func(a *app, f many.File, err error, code int)
	out    io.Writer // for the files' output; nil: standard output
}

// A manyTotal counts the processed files by outcome.
type manyTotal struct {
	Files int `json:"files"`
	// Unreadable files include those that are otherwise unusable, with exit code 2; for lint, all that were not linted.
	Unreadable int `json:"unreadable"`
	Wrong      int `json:"wrong"`       // with exit code 1
	PassedOver int `json:"passed_over"` // files and links of folders; a hidden folder counts as one
	passed     many.Passed
	code       int // the highest exit code of a file
}

// A manyResult is the result of a worker.
type manyResult[R any] struct {
	r    R
	err  error
	code int
}

// eachFile does the work. An error of one file is printed, and the others are still processed.
func eachFile[R any](a *app, m *Many, w manyWork[R]) (t manyTotal, err error) {
	p := many.Paths{Roots: w.paths, Include: m.Include, Take: w.take}
	if err := p.Check(); err != nil {
		return t, err
	}
	if err := w.compiling.heard(a, w.paths); err != nil {
		return t, err
	}
	if w.out == nil {
		w.out = a.out
	}
	var files atomic.Int64
	sources := false
	notes, stop := m.progress(a, w.command, p, &files)
	defer stop()
	err = many.InOrder(a.ctx, m.jobs(), func(ctx context.Context, emit func(many.File) bool) (err error) {
		t.passed, err = p.Walk(ctx, func(f many.File) bool {
			if w.claim != nil && f.Err == nil {
				f.Err = w.claim(f)
			}
			sources = sources || clang.IsSource(f.Path)
			return emit(f)
		})
		return err
	}, func(ctx context.Context, f many.File, turn *many.Turn) manyResult[R] {
		b := a.child(ctx, turn.Output(w.out), turn.Output(notes))
		if !clang.IsSource(f.Path) {
			b.flags = without(b.flags, sourceFlags)
		}
		return w.one(b, f)
	}, func(f many.File, r manyResult[R]) error {
		files.Add(1)
		t.add(r.code)
		if w.done == nil {
			return nil
		}
		return w.done(f, r.r, r.err)
	})
	stop()
	t.PassedOver = t.passed.Files + t.passed.Links + t.passed.Folders
	if !sources {
		w.compiling.unheard(a, w.paths)
	}
	if err == nil && t.Files == 0 {
		err = hinted{fmt.Errorf("%s: no file to work on in %s%s", w.command, strings.Join(w.paths, ", "), t.passedOver()), w.hint(m)}
	}
	return t, err
}

// inTurn is eachFile with a report: the total on standard error, and with json errors and the total as lines of JSON.
func inTurn[R any](a *app, m *Many, w manyWork[R], json bool) error {
	if json {
		w.failed = failedLine
	}
	t, err := eachFile(a, m, w)
	if err != nil {
		return err
	}
	if json {
		a.out.Write(totalLine(t))
	}
	return t.end(a, t.said("with errors"))
}

// hint describes which files of folders are selected.
func (w *manyWork[R]) hint(m *Many) string {
	if len(m.Include) > 0 {
		return "taken are files that match " + strings.Join(m.Include, " or ") + ": a glob without a slash is about the name, one with a slash about the path below the folder"
	}
	return "taken are " + w.takes + "; --include '*.EXT' takes others"
}

// one processes one file.
func (w *manyWork[R]) one(a *app, f many.File) (r manyResult[R]) {
	if r.err = f.Err; r.err == nil {
		r.r, r.err = w.work(a, f)
	}
	r.code = exitOf(r.err)
	if r.err != nil && !isTold(r.err) {
		a.tell(r.err)
		if w.failed != nil && a.untold() {
			w.failed(a, f, r.err, r.code)
		}
	}
	a.out.Flush() // the error belongs to the turn's output
	return r
}

// add counts a file by its exit code.
func (t *manyTotal) add(code int) {
	t.Files++
	switch code {
	case 0:
	case 1:
		t.Wrong++
	default:
		t.Unreadable++
	}
	t.code = max(t.code, code)
}

// said describes the total in words: "3 files, 1 unreadable; passed over: 2 other files". wrong is the name of files
// with exit code 1; "" if they are reported elsewhere.
func (t *manyTotal) said(wrong string) string {
	s := spell.Count(t.Files, "file")
	if t.Wrong > 0 && wrong != "" {
		s += fmt.Sprintf(", %d %s", t.Wrong, wrong)
	}
	if t.Unreadable > 0 {
		s += fmt.Sprintf(", %d unreadable", t.Unreadable)
	}
	return s + t.passedOver()
}

// passedOver describes what was skipped, as the end of a sentence.
func (t *manyTotal) passedOver() string {
	if !t.passed.Any() {
		return ""
	}
	return "; passed over: " + t.passed.String()
}

// end prints the total on standard error, if standard output could be written, and returns the exit code as an error.
func (t *manyTotal) end(a *app, says string) error {
	if a.out.Flush() != nil {
		return told(2) // finish reports the error
	}
	fmt.Fprintf(a.err, "heddle: %s\n", shownText(says))
	if t.code == 0 {
		return nil
	}
	return told(t.code)
}

// A told is an exit code whose reasons have been printed.
type told int

func (t told) Error() string { return fmt.Sprintf("exit code %d", int(t)) }

// isTold reports whether the reasons of an error have been printed.
func isTold(err error) bool {
	var t told
	var w wrong
	return errors.As(err, &t) || errors.As(err, &w) && w.error == nil
}

// child returns the app for the work on one of many files. Its output goes to the writers of its turn, not to a
// terminal.
func (a *app) child(ctx context.Context, out, err io.Writer) *app {
	return &app{ctx: ctx, in: a.in, out: bufio.NewWriterSize(out, 16<<10), err: err, sink: &sink{file: a.sink.file}, drafts: a.drafts,
		flags: without(a.flags, []string{"include", "jobs"}),
		asked: a.asked, model: a.model, time: a.time, most: a.most}
}

// without returns a list without some words.
func without(list, words []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(w string) bool { return slices.Contains(words, w) })
}

// progress shows how many files are done; the total is counted in parallel if the work takes long. Other messages for
// standard error must be written to notes.
func (m *Many) progress(a *app, command string, p many.Paths, files *atomic.Int64) (notes io.Writer, stop func()) {
	if !a.tty {
		return a.err, func() {}
	}
	var total atomic.Int64
	ctx, cancel := context.WithCancel(a.ctx)
	var counting sync.WaitGroup
	count := sync.OnceFunc(func() {
		counting.Go(func() {
			n := int64(0)
			if _, err := p.Walk(ctx, func(many.File) bool { n++; return true }); err == nil {
				total.Store(n)
			}
		})
	})
	notes, end := a.watchNotes(command, progressAfter, func() far {
		count()
		return far{files.Load(), total.Load(), "files"}
	})
	return notes, sync.OnceFunc(func() {
		end()
		cancel()
		counting.Wait()
	})
}

// jsonLine returns v, a JSON object, on one line with the file as its first key.
func jsonLine(file string, v any) []byte {
	name, err := oneLine(file)
	if err != nil {
		panic("heddle: " + err.Error())
	}
	text, err := oneLine(v)
	if err != nil || len(text) < 2 || text[0] != '{' {
		panic(fmt.Sprintf("heddle: %T is no object: %v", v, err))
	}
	line := append([]byte(`{"file":`), name...)
	if text[1] != '}' {
		line = append(line, ',')
	}
	return append(append(line, text[1:]...), '\n')
}

// failedLine prints an error of a file as a line of JSON.
func failedLine(a *app, f many.File, err error, code int) {
	a.out.Write(jsonLine(f.Path, failureJSON(err, a.plainText, code)))
}

// totalLine returns the last line of a report of JSON Lines.
func totalLine(total any) []byte {
	text, err := oneLine(struct {
		Total any `json:"total"`
	}{total})
	if err != nil {
		panic("heddle: " + err.Error())
	}
	return append(text, '\n')
}

// takesCode reports whether a file of a folder contains code: code objects by contents, assembly by name, bare code by
// name with --raw.
func (f *CodeFile) takesCode(path string) (bool, error) {
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case f.takes(path):
		return true, nil
	case f.Raw:
		return ext == ".bin", nil
	case ext == ".s":
		return true, nil
	}
	return isObjectFile(path)
}

// codeTaken describes takesCode in words.
func (f *CodeFile) codeTaken() string {
	if f.Raw {
		return "with --raw files whose names end in .bin"
	}
	return "code objects, and assembly whose name ends in .s; with --target also source files"
}

// isObjectFile reports whether a file is a code object, by its first bytes.
func isObjectFile(path string) (bool, error) {
	head, err := many.Head(path, 64)
	return err == nil && object.IsHSA(head), err
}
