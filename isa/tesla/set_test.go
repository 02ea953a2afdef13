package tesla

import "testing"

func TestCompiles(t *testing.T) {
	s := Set()
	for v := range variants {
		for st := range stages {
			if o := s.Overlaps(v, st); len(o) > 0 {
				t.Errorf("%s %s: %d overlaps, the first %s", variants[v].Name, stages[st], len(o), o[0])
			}
		}
	}
}
