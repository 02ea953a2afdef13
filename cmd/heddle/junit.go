package main

import (
	"encoding/xml"
	"errors"
	"io"
)

// A Format is the report format of check and lint.
type Format struct {
	Format string `enum:"text,json,junit,sarif" default:"text" help:"How findings are reported: text, json, junit (XML as CI servers read it) or sarif (2.1.0, as code hosts and editors read it)."`
	JSON   bool   `help:"Print JSON: short for --format json."`
}

// form returns the requested format.
func (f *Format) form() (string, error) {
	switch {
	case f.JSON && f.Format != "text" && f.Format != "json":
		return "", errors.New("--json and --format " + f.Format + ": want one of them")
	case f.JSON:
		return "json", nil
	}
	return f.Format, nil
}

// The parts of JUnit's XML that all servers read. Names and messages are escaped for display: XML has no escape for
// most control characters.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr,omitempty"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr,omitempty"` // seconds
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string      `xml:"name,attr"`
	Class   string      `xml:"classname,attr"`
	File    string      `xml:"file,attr,omitempty"`
	Line    int         `xml:"line,attr,omitempty"`
	Time    string      `xml:"time,attr,omitempty"`
	Failure *junitWhat  `xml:"failure"`
	Error   *junitWhat  `xml:"error"`
	Skipped *junitWhat  `xml:"skipped"`
	Out     *junitPlain `xml:"system-out"`
}

type junitWhat struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

type junitPlain struct {
	Text string `xml:",chardata"`
}

// add adds a suite and counts what is in it.
func (s *junitSuites) add(x junitSuite) {
	s.Tests, s.Failures, s.Errors, s.Skipped = s.Tests+x.Tests, s.Failures+x.Failures, s.Errors+x.Errors, s.Skipped+x.Skipped
	s.Suites = append(s.Suites, x)
}

// xml prints v with indentation.
func (a *app) xml(v any) error { return writeXML(a.out, v) }

// writeXML writes v with indentation.
func writeXML(w io.Writer, v any) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
