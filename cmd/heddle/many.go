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

// Many are the flags of commands that take many files.
type Many struct {
	Include []string `sep:"none" placeholder:"GLOB" help:"Of folders, take the files that match, whatever they hold: '*.bin' is about the name, 'shaders/*.s' about the path below the folder. May be given several times."`
	Jobs    int      `short:"j" range:"0..4096" placeholder:"N" help:"Files at the same time; 0: as many as processors. The output is the same for every N."`
}

// several is whether the command reports on several files: more than one path, a folder, or a flag that is about several files. The form of the output
// then does not depend on how many files a folder or a glob has.
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

// only is the one path of a command that does not report on several files; "" if there is none.
func only(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	return paths[0]
}

// jobs is how many files are worked on at the same time.
func (m *Many) jobs() int {
	if m.Jobs == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return m.Jobs
}

// A manyWork is what a command does with each of many files. R is what it knows of a file in the end.
type manyWork[R any] struct {
	command string
	paths   []string
	take    func(path string) (bool, error) // which files of folders
	takes   string                          // take in words, for errors
	// compiling are the flags of source files, which go with those of the files that are.
	compiling *Compiling
	work      func(a *app, f many.File) (R, error)
	// claim is asked of each file before it is worked on, in order; its error is what is wrong with the file. nil: nothing is.
	claim func(f many.File) error
	// done, if not nil, gets the results in the order of the files.
	done func(f many.File, r R, err error) error
	// failed, if not nil, prints an error of a file in the report; standard error has it in any case.
	failed func(a *app, f many.File, err error, code int)
	out    io.Writer // where the files' output goes; nil: standard output
}

// A manyTotal is how many files were worked on, and what became of them.
type manyTotal struct {
	Files      int `json:"files"`
	Unreadable int `json:"unreadable"`  // or otherwise not usable: exit code 2 of one file; of lint all that were not looked at
	Wrong      int `json:"wrong"`       // exit code 1
	PassedOver int `json:"passed_over"` // files and links of folders; a hidden folder counts as one
	passed     many.Passed
	code       int // the exit code: the greatest of a file
}

// A manyResult is what a worker leaves.
type manyResult[R any] struct {
	r    R
	err  error
	code int
}

// eachFile does the work. An error of one file is printed, and does not keep the others from being worked on.
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

// inTurn is eachFile with its report: the total on standard error, and with json what is wrong with a file and the total as lines of JSON.
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

// hint says which files are taken of folders.
func (w *manyWork[R]) hint(m *Many) string {
	if len(m.Include) > 0 {
		return "taken are files that match " + strings.Join(m.Include, " or ") + ": a glob without a slash is about the name, one with a slash about the path below the folder"
	}
	return "taken are " + w.takes + "; --include '*.EXT' takes others"
}

// one works on one file.
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
	a.out.Flush() // the error stays with the turn's output
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

// said is the total in words: "3 files, 1 unreadable; passed over: 2 other files". wrong is what files of exit code 1 are; "" if that is said elsewhere.
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

// passedOver is what was passed over, as the end of a sentence.
func (t *manyTotal) passedOver() string {
	if !t.passed.Any() {
		return ""
	}
	return "; passed over: " + t.passed.String()
}

// end prints the total on standard error, if standard output could be written, and returns the exit code as an error.
func (t *manyTotal) end(a *app, says string) error {
	if a.out.Flush() != nil {
		return told(2) // finish reports it
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

// isTold is whether the reasons of an error have been printed.
func isTold(err error) bool {
	var t told
	var w wrong
	return errors.As(err, &t) || errors.As(err, &w) && w.error == nil
}

// child is the app of the work on one of many files. What it prints goes where its turn says; it is not on a terminal.
func (a *app) child(ctx context.Context, out, err io.Writer) *app {
	return &app{ctx: ctx, in: a.in, out: bufio.NewWriterSize(out, 16<<10), err: err, sink: &sink{file: a.sink.file}, drafts: a.drafts,
		flags: without(a.flags, []string{"include", "jobs"}),
		asked: a.asked, model: a.model, time: a.time, most: a.most}
}

// without is a list without some words.
func without(list, words []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(w string) bool { return slices.Contains(words, w) })
}

// progress shows how many files are done, of those that there are: they are counted beside the work, when that takes long. Notes are what is said on standard
// error meanwhile.
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

// jsonLine is v, a JSON object, as one line whose first key is the file.
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

// failedLine prints what is wrong with a file as a line of JSON.
func failedLine(a *app, f many.File, err error, code int) {
	a.out.Write(jsonLine(f.Path, failureJSON(err, a.plainText, code)))
}

// totalLine is the last line of a report of JSON Lines.
func totalLine(total any) []byte {
	text, err := oneLine(struct {
		Total any `json:"total"`
	}{total})
	if err != nil {
		panic("heddle: " + err.Error())
	}
	return append(text, '\n')
}

// takesCode is which files of a folder hold code: code objects by what they hold, assembly by its name, bare code by its name with --raw.
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

// codeTaken is takesCode in words.
func (f *CodeFile) codeTaken() string {
	if f.Raw {
		return "with --raw files whose names end in .bin"
	}
	return "code objects, and assembly whose name ends in .s; with --target also source files"
}

// isObjectFile is whether a file is a code object, by its first bytes.
func isObjectFile(path string) (bool, error) {
	head, err := many.Head(path, 64)
	return err == nil && object.IsHSA(head), err
}
