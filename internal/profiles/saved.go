package profiles

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

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
