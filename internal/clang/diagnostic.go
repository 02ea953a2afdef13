package clang

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// A Diagnostic is an error that clang reports, with its place.
type Diagnostic struct {
	File      string // as clang names it: the source, or a file that it includes
	Line, Col int    // from 1, Col in bytes; Col is 0 if clang names none
	Msg       string
	Source    string // the line, "" if clang does not show it
}

// maxDiagnostics bounds how many are kept. clang ends after 20, if it is not asked for more.
const maxDiagnostics = 1000

// saidLines are an error and its line of the source, as clang 22 prints them.
var saidLines = sync.OnceValue(func() [2]*regexp.Regexp {
	return [2]*regexp.Regexp{regexp.MustCompile(`^(.+?):([0-9]{1,9}):(?:([0-9]{1,9}):)? (?:fatal )?error: (.*)$`), regexp.MustCompile(`^ *[0-9]+ \| (.*)$`)}
})

// diagnostics are the errors in what clang says.
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
			if s := saidLines()[1].FindStringSubmatch(lines[i+1]); s != nil { // clang 14 shows it without its number: not to be told from other text
				d.Source = s[1]
			}
		}
		list = append(list, d)
	}
	return list
}
