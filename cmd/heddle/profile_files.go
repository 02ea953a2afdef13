package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/heddle-gpu/heddle/internal/profiles"
)

// ProfileFiles are the flags that write a profile to files.
type ProfileFiles struct {
	By     string `group:"files" enum:"${counts}" default:"wave_instructions" placeholder:"COUNT" help:"What the hottest lines and stacks are told by: ${listed}."`
	Pprof  string `group:"files" placeholder:"FILE" help:"Write the profile for go tool pprof, with all counts."`
	Folded string `group:"files" placeholder:"FILE" help:"Write stacks of kernel, functions, lines and instruction with a count, as flamegraph.pl and speedscope read them."`
	CSV    string `name:"csv" group:"files" placeholder:"FILE" help:"Write a table with a row for each instruction."`
	HTML   string `name:"html" group:"files" placeholder:"FILE" help:"Write a page: instructions beside the source, charts, a flame graph."`
}

// A profileFile is a file to write a profile to.
type profileFile struct {
	flag, path string
	write      func(w io.Writer, list []profiles.Profile, with []profiles.Comparison) error
}

// plain returns a writer of a file without comparisons.
func plain(write func(w io.Writer, list []profiles.Profile) error) func(io.Writer, []profiles.Profile, []profiles.Comparison) error {
	return func(w io.Writer, list []profiles.Profile, _ []profiles.Comparison) error { return write(w, list) }
}

// files returns the files that are asked for.
func (f *ProfileFiles) files() (list []profileFile) {
	by := profiles.MetricOf(f.By)
	for _, x := range []profileFile{
		{"--pprof", f.Pprof, plain(profiles.WritePprof)},
		{"--folded", f.Folded, func(w io.Writer, list []profiles.Profile, _ []profiles.Comparison) error {
			return profiles.WriteFolded(w, list, by)
		}},
		{"--csv", f.CSV, plain(profiles.WriteCSV)},
		{"--html", f.HTML, func(w io.Writer, list []profiles.Profile, with []profiles.Comparison) error {
			return profiles.WriteHTML(w, list, with, by)
		}},
	} {
		if x.path != "" {
			list = append(list, x)
		}
	}
	return list
}

// paths returns the names of the files.
func (f *ProfileFiles) paths() (list []string) {
	for _, x := range f.files() {
		list = append(list, x.path)
	}
	return list
}

// toStdout reports whether standard output is one of them.
func (f *ProfileFiles) toStdout() bool {
	for _, x := range f.files() {
		if x.path == "-" {
			return true
		}
	}
	return false
}

// check reports flags whose output would go to one file.
func (f *ProfileFiles) check(json bool, of *wants) error {
	by := map[string]string{}
	if json {
		by["-"] = "--json"
	}
	for _, x := range f.files() {
		path := filepath.Clean(x.path)
		if other := by[path]; other != "" {
			what := "one file"
			if path == "-" {
				what = "standard output"
			}
			return fmt.Errorf("%s and %s would both go to %s", other, x.flag, what)
		}
		by[path] = x.flag
		if err := of.alone(x.flag, x.path); err != nil {
			return err
		}
	}
	return nil
}

// write writes the files, with comparisons where they have a place.
func (f *ProfileFiles) write(a *app, list []profiles.Profile, with []profiles.Comparison) (err error) {
	for _, x := range f.files() {
		err = errors.Join(err, a.save(x.path, func(w io.Writer) error { return x.write(w, list, with) }))
	}
	return err
}

// isSavedProfile reports whether a file is the output of heddle profile --json.
func isSavedProfile(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // the run says what is wrong
		return false, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	start := make([]byte, 64)
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	return profiles.IsSaved(start[:n]), nil
}
