package profiles

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/loc"
)

// A Source is a file of the source, as it was when the profile was made.
type Source struct {
	File string `json:"file"`
	Text string `json:"text"`
}

// Embed adds the text of the files that instructions are from, as far as it is found.
func (p *Profile) Embed(from *debug.Sources) {
	seen := map[string]bool{}
	add := func(at loc.Position) {
		if !at.Known() || seen[at.File] {
			return
		}
		seen[at.File] = true
		if lines := from.Lines(at); lines != nil {
			p.Sources = append(p.Sources, Source{at.File, strings.Join(lines, "\n")})
		}
	}
	for i := range p.List {
		add(p.List[i].At)
		for _, f := range p.List[i].Frames {
			add(positionOf(f.Called))
		}
	}
}

// Lines returns the lines of a file; nil: its text is not known.
func (p *Profile) Lines(file string) []string {
	for i := range p.Sources {
		if p.Sources[i].File == file {
			return strings.Split(p.Sources[i].Text, "\n")
		}
	}
	return nil
}

// IsSaved reports whether a file is a profile, as heddle profile --json prints it.
func IsSaved(start []byte) bool { return regexp.MustCompile(`^\s*\[\s*[{\]]`).Match(start) }

// Read reads what heddle profile --json printed.
func Read(data []byte) (list []Profile, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		return nil, fmt.Errorf("no profile of heddle profile --json: %w", err)
	}
	if d.More() {
		return nil, errors.New("no profile of heddle profile --json: something else follows the list")
	}
	for i := range list {
		for k := range list[i].List {
			in := &list[i].List[k]
			in.At = positionOf(in.Source)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("the profile has no code")
	}
	return list, nil
}
