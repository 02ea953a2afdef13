package profiles

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
)

// IsSaved reports whether a file is a profile, as heddle profile --json prints it.
func IsSaved(start []byte) bool { return regexp.MustCompile(`^\s*\[\s*[{\]]`).Match(start) }

// Read reads what heddle profile --json printed. Sums are those of the instructions.
func Read(data []byte) (list []Profile, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		return nil, fmt.Errorf("no profile of heddle profile --json: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("no profile of heddle profile --json: something else follows the list")
	}
	for i := range list {
		if err := list[i].complete(); err != nil {
			return nil, fmt.Errorf("no profile of heddle profile --json: code %d %w", i+1, err)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("the profile has no code")
	}
	return list, nil
}

// complete computes what follows from the instructions.
func (p *Profile) complete() error {
	for _, x := range []struct {
		missing bool
		name    string
	}{{p.ISA == "", "isa"}, {len(p.Launches) == 0, "launches"}, {len(p.List) == 0, "instructions"}} {
		if x.missing {
			return fmt.Errorf("has no %q", x.name)
		}
	}
	p.Instructions, p.Lanes, p.Mix = 0, 0, []Unit{}
	for k := range p.List {
		in := &p.List[k]
		in.At = positionOf(in.Source)
		p.count(in)
	}
	p.sortMix()
	p.timed()
	return nil
}
