package launch

import (
	"fmt"

	"github.com/heddle-gpu/heddle/object"
)

// Launches runs the launches of a manifest in order and returns the result of each that has started. ready prepares
// one; its error is an error of the manifest.
func Launches(m *object.Manifest, ready func(l *object.Launch) (run func() (*Result, error), err error)) (results []*Result, err error) {
	for i := range m.Launches {
		run, err := ready(&m.Launches[i])
		if err != nil {
			return results, fmt.Errorf("%s: launches[%d]: %w", m.File, i, err)
		}
		r, err := run()
		if r != nil {
			results = append(results, r)
		}
		if err != nil {
			return results, err
		}
	}
	return results, nil
}
