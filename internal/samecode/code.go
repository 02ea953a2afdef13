package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	gotoken "go/token"
	"regexp"
	"strings"
	textscanner "text/scanner"
	"unicode"
)

// A token is a token of code, with its position.
type token struct {
	text      string // "" at the end of the file
	line, col int    // from 1, col in bytes for Go, in characters for assembly
	name      bool   // an identifier or a string, which -names may change
}

func (t token) place() string { return fmt.Sprintf("%d:%d", t.line, t.col) }

func (t token) show() string {
	switch {
	case t.text == "":
		return "end of file"
	case t.text == "\n":
		return "end of line"
	}
	return t.text
}

// tokens returns the tokens of a file without comments, except those that tools obey.
func tokens(name, text string) ([]token, error) {
	if strings.HasSuffix(name, ".s") {
		return asmTokens(name, text)
	}
	return goTokens(name, text)
}

// obeyed matches the comments that the compiler, cgo and other tools read: directives, build constraints in both forms,
// and the line that says that a file is generated.
var obeyed = regexp.MustCompile(`^(//(line |extern |export |[a-z0-9]+:[a-z0-9])|/\*line |// ?\+build |// Code generated .* DO NOT EDIT\.$)`)

// output matches the comment that says what an example prints, as go/doc does.
var output = regexp.MustCompile(`(?i)^[[:space:]]*(unordered )?output:`)

func goTokens(name, text string) ([]token, error) {
	fset := gotoken.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	kept := map[int]bool{} // offsets of comments
	for _, g := range codeComments(f, strings.HasSuffix(name, "_test.go")) {
		for _, c := range g.List {
			kept[fset.PositionFor(c.Pos(), false).Offset] = true
		}
	}
	var s scanner.Scanner
	file := fset.AddFile(name, -1, len(text))
	s.Init(file, []byte(text), nil, scanner.ScanComments) // it has no errors: it was parsed
	var all []token
	for {
		pos, tok, lit := s.Scan()
		if tok == gotoken.EOF {
			return all, nil
		}
		if tok == gotoken.COMMENT && !kept[file.Offset(pos)] && !obeyed.MatchString(lit) {
			continue
		}
		place := file.PositionFor(pos, false)
		t := token{lit, place.Line, place.Column, tok == gotoken.IDENT || tok == gotoken.STRING}
		switch {
		case tok == gotoken.COMMENT:
			t.text = strings.TrimRight(lit, " \t\r")
		case tok == gotoken.SEMICOLON || lit == "":
			t.text = tok.String()
		}
		// Whether the last statement or element is on a line of its own does not matter.
		if n := len(all); n != 0 && (t.text == ")" || t.text == "}") && (all[n-1].text == ";" || all[n-1].text == ",") {
			all = all[:n-1]
		}
		all = append(all, t)
	}
}

// codeComments returns the comments that count because of their position: the C code of import "C", and the expected
// output of examples in test files.
func codeComments(f *ast.File, test bool) (groups []*ast.CommentGroup) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				imp, ok := spec.(*ast.ImportSpec)
				if !ok || imp.Path.Value != `"C"` {
					continue
				}
				for _, g := range []*ast.CommentGroup{d.Doc, imp.Doc} {
					if g != nil {
						groups = append(groups, g)
					}
				}
			}
		case *ast.FuncDecl:
			if test && strings.HasPrefix(d.Name.Name, "Example") && d.Body != nil {
				if g := last(f, d.Body); g != nil && output.MatchString(g.Text()) {
					groups = append(groups, g)
				}
			}
		}
	}
	return groups
}

// last returns the last comment of a function; go test reads no other.
func last(f *ast.File, body *ast.BlockStmt) (g *ast.CommentGroup) {
	for _, c := range f.Comments {
		if body.Pos() <= c.Pos() && c.End() <= body.End() {
			g = c
		}
	}
	return g
}

// asmTokens returns the tokens of a file for the Go assembler, which uses text/scanner, too. Statements end at line
// ends.
func asmTokens(name, text string) (all []token, err error) {
	var s textscanner.Scanner
	s.Init(strings.NewReader(text))
	s.Filename = name
	s.Mode = textscanner.ScanIdents | textscanner.ScanInts | textscanner.ScanFloats | textscanner.ScanChars | textscanner.ScanStrings | textscanner.ScanComments
	s.Whitespace = 1<<' ' | 1<<'\t' | 1<<'\r'
	s.IsIdentRune = func(r rune, i int) bool {
		return r == '_' || r == '∕' || unicode.IsLetter(r) || i > 0 && unicode.IsDigit(r)
	}
	s.Error = func(s *textscanner.Scanner, msg string) {
		if err == nil {
			err = fmt.Errorf("%s: %s", s.Pos(), msg)
		}
	}
	end := func() bool { return len(all) == 0 || all[len(all)-1].text == "\n" }
	for tok := s.Scan(); tok != textscanner.EOF; tok = s.Scan() {
		t := token{s.TokenText(), s.Line, s.Column, tok == textscanner.Ident || tok == textscanner.String}
		switch {
		case tok == textscanner.Comment && obeyed.MatchString(t.text):
			t.text = strings.TrimRight(t.text, " \t\r")
		case tok == textscanner.Comment, t.text == "\n" && end():
			continue
		}
		all = append(all, t)
	}
	if !end() {
		all = append(all, token{text: "\n", line: s.Line, col: s.Column})
	}
	return all, err
}
