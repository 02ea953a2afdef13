package clang

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed library/*.cl
var libraryFiles embed.FS

// A section of the library defines the functions whose names its expression matches.
type section struct {
	file     string
	names    *regexp.Regexp
	body     string
	fallback bool // libclc is preferred if it is installed
}

// The library in memory: the start of every program, what the sections of a file need, and the sections.
type library struct {
	prelude  string
	heads    map[string]string
	sections []section
}

const sectionMark = "//@ "

var readLibrary = sync.OnceValue(func() *library {
	names, err := fs.Glob(libraryFiles, "library/*.cl")
	if err != nil {
		panic("clang: " + err.Error())
	}
	l := &library{heads: map[string]string{}}
	for _, name := range names {
		text, err := libraryFiles.ReadFile(name)
		if err != nil {
			panic("clang: " + err.Error())
		}
		l.add(path.Base(name), string(text))
	}
	return l
})

// add splits a file into sections.
func (l *library) add(file, text string) {
	if file == "prelude.cl" {
		l.prelude = text
		return
	}
	parts := strings.Split("\n"+text, "\n"+sectionMark)
	l.heads[file] = parts[0]
	for _, p := range parts[1:] {
		names, body, _ := strings.Cut(p, "\n")
		names, fallback := strings.CutSuffix(names, " fallback")
		l.sections = append(l.sections, section{file, regexp.MustCompile("^(?:" + names + ")$"), body, fallback})
	}
}

// section returns the section that defines a function; nil: the library does not have it.
func (l *library) section(name string) *section {
	for i := range l.sections {
		if l.sections[i].names.MatchString(name) {
			return &l.sections[i]
		}
	}
	return nil
}

// source returns OpenCL C that defines the named functions. Names that the library does not have are ignored.
func (l *library) source(names []string) string {
	var b bytes.Buffer
	b.WriteString(l.prelude)
	begun := map[string]bool{}
	for _, n := range slices.Compact(slices.Sorted(slices.Values(names))) {
		s := l.section(n)
		if s == nil {
			continue
		}
		if !begun[s.file] {
			begun[s.file] = true
			fmt.Fprintf(&b, "#line 1 %q\n%s\n", s.file, l.heads[s.file])
		}
		fmt.Fprintf(&b, "#line 1 %q\n", s.file+"/"+n)
		b.Write(s.names.ExpandString(nil, s.body, n, s.names.FindStringSubmatchIndex(n)))
		b.WriteByte('\n')
	}
	return b.String()
}

// Defines reports whether heddle's library defines a built-in function of OpenCL C.
func Defines(name string) bool { return readLibrary().section(name) != nil }

// baseName returns the name of a function in the source from its symbol: _Z13get_global_idj is get_global_id.
func baseName(symbol string) string {
	rest, ok := strings.CutPrefix(symbol, "_Z")
	if !ok {
		return symbol
	}
	n := 0
	for rest != "" && rest[0] >= '0' && rest[0] <= '9' && n < 1<<16 {
		n, rest = 10*n+int(rest[0]-'0'), rest[1:]
	}
	if n == 0 || n > len(rest) {
		return symbol
	}
	return rest[:n]
}
