package lint

import (
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestOverlap: the overlap after each change holds for all sets of lanes for which the one before held, and no
// stronger one does.
func TestOverlap(t *testing.T) {
	const all = 1<<3 - 1
	// holds says what an overlap claims about the active lanes and those active when the operation was issued.
	holds := func(l overlap, active, began int) bool {
		switch l {
		case lanesWhole:
			return began == all
		case lanesWithin:
			return active&^began == 0
		case lanesShared:
			return active&began != 0
		}
		return true
	}
	may := map[isa.ActiveChange]func(from, to int) bool{
		isa.ActiveSame:  func(from, to int) bool { return to == from },
		isa.ActiveFewer: func(from, to int) bool { return to&^from == 0 },
		isa.ActiveMore:  func(from, to int) bool { return from&^to == 0 },
		isa.ActiveAll:   func(_, to int) bool { return to == all },
		isa.ActiveOther: func(int, int) bool { return true },
	}
	for before := lanesWhole; before <= lanesOther; before++ {
		for change, to := range may {
			best := lanesOther
			for after := lanesOther; ; after-- {
				sound := true
				for began := 1; began <= all; began++ {
					for was := 1; was <= all; was++ { // without active lanes nothing happens
						for is := 1; is <= all; is++ {
							sound = sound && (!holds(before, was, began) || !to(was, is) || holds(after, is, began))
						}
					}
				}
				if sound {
					best = after
				}
				if after == lanesWhole {
					break
				}
			}
			if got := before.after(change); got != best {
				t.Errorf("overlap %d after change %d is %d, want %d", before, change, got, best)
			}
		}
	}
}
