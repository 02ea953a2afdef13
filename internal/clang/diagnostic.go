package clang

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// A Diagnostic is an error reported by clang, with its place.
type Diagnostic struct {
	File      string // as clang names it: the source, or an included file
	Line, Col int    // from 1, Col in bytes; Col is 0 if clang gives none
	Msg       string
	Source    string // the line, "" if clang does not show it
}

// maxDiagnostics limits the errors kept. clang stops after 20 by default.
const maxDiagnostics = 1000

// saidLines match an error and its source line as clang 22 prints them.
var saidLines = sync.OnceValue(func() [2]*regexp.Regexp {
	return [2]*regexp.Regexp{regexp.MustCompile(`^(.+?):([0-9]{1,9}):(?:([0-9]{1,9}):)? (?:fatal )?error: (.*)$`), regexp.MustCompile(`^ *[0-9]+ \| (.*)$`)}
})

// diagnostics returns the errors in the messages of clang.
func diagnostics(said []byte) (list []Diagnostic) {
	lines := strings.Split(string(bytes.TrimRight(said, "\n")), "\n")
	for i, line := range lines {
		m := saidLines()[0].FindStringSubmatch(strings.TrimSuffix(line, "\r"))
		if m == nil || len(list) == maxDiagnostics {
			continue
		}
		d := Diagnostic{File: m[1], Msg: m[4]}
		d.Line, _ = strconv.Atoi(m[2]) // digits
		d.Col, _ = strconv.Atoi(m[3])  // digits, or nothing
		if i+1 < len(lines) {
			// clang 14 shows the line without its number, so it cannot be distinguished from other text.
			if s := saidLines()[1].FindStringSubmatch(lines[i+1]); s != nil {
				d.Source = s[1]
			}
		}
		list = append(list, d)
	}
	return list
}
