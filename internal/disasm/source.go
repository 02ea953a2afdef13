package disasm

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/heddle-gpu/heddle/loc"
)

// A Source finds the source lines of a listing: before the first instruction of each line its position and text.
type Source struct {
	At   loc.Lookup
	Read func(path string) ([]byte, error)
	Dirs []string // folders to search for files that are not where the line tables say
	// Begins are the addresses of functions: each starts with its line, even if the previous one ends with the same.
	Begins map[uint64]bool

	last  loc.Position
	files map[string][]string // lines by path; nil: the file cannot be read
}

// mostShown limits the bytes shown of a source line.
const mostShown = 200

// Before returns the lines to show before the instruction at an address: none if the previous line continues.
func (s *Source) Before(addr uint64) (list []string) {
	p := s.At(addr)
	if s.Begins[addr] {
		s.last = loc.Position{}
	}
	if p.Line == s.last.Line && p.File == s.last.File && p.Path == s.last.Path {
		return nil
	}
	known := s.last.Known()
	s.last = p
	if !p.Known() {
		if known {
			list = append(list, "no line of the source")
		}
		return list
	}
	lines, fresh := s.lines(&p)
	if lines == nil && fresh {
		list = append(list, plain(fmt.Sprintf("%s cannot be read: looked for %s", p.File, strings.Join(s.paths(&p), ", "))))
	}
	list = append(list, plain(p.String()))
	if p.Line <= len(lines) {
		list = append(list, plain(lines[p.Line-1]))
	} else if lines != nil {
		list = append(list, plain(fmt.Sprintf("%s has %d lines: it is not the file that was compiled", p.File, len(lines))))
	}
	return list
}

// lines returns the lines of the file of a position; nil: it cannot be read. fresh: it was not requested before.
func (s *Source) lines(p *loc.Position) (lines []string, fresh bool) {
	key := p.Path + "\x00" + p.File
	if lines, known := s.files[key]; known {
		return lines, false
	}
	for _, path := range s.paths(p) {
		if data, err := s.Read(path); err == nil {
			lines = strings.Split(string(data), "\n")
			break
		}
	}
	if s.files == nil {
		s.files = map[string][]string{}
	}
	s.files[key] = lines
	return lines, true
}

// paths returns where the file of a position may be.
func (s *Source) paths(p *loc.Position) (list []string) {
	if p.Path != "" {
		list = append(list, p.Path)
	}
	for _, dir := range s.Dirs {
		list = append(list, filepath.Join(dir, filepath.Base(p.File)))
	}
	return list
}

// plain returns a line of a file in a form that is safe in a comment: without line ends and terminal controls, and with
// limited length.
func plain(text string) string {
	if len(text) > mostShown {
		end := mostShown
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + " ..."
	}
	text = strings.Map(func(r rune) rune {
		if r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, strings.TrimRight(text, " \t\r"))
	return text
}
