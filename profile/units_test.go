package profile

import (
	"testing"

	"github.com/heddle-gpu/heddle/ir"
)

// TestUnitsAlike: units of a request of several are of one size, as its probe tells one address of each.
func TestUnitsAlike(t *testing.T) {
	r := &request{requestKey: requestKey{how: Loads, space: ir.GlobalSpace, masked: true, t: ir.I64}, units: []unit{{base: 1, addr: 1, mask: 2, spans: []span{{0, 4}}}}}
	r.take(&unit{base: 3, addr: 3, mask: 4, spans: []span{{0, 4}}})
	r.take(&unit{base: 3, addr: 5, first: 4, mask: 4, spans: []span{{0, 4}}})
	for _, u := range r.units {
		if len(u.spans) != 1 || u.spans[0] != (span{0, 4}) {
			t.Errorf("units %+v", r.units)
		}
	}
}

// TestSitesInOrder: places in the code are those of their requests, whichever is probed first.
func TestSitesInOrder(t *testing.T) {
	units := []unit{{spans: []span{{0, 4}}}}
	load := &request{requestKey: requestKey{how: Loads, space: ir.GlobalSpace, masked: true, t: ir.I64}, units: units, place: 9}
	store := &request{requestKey: requestKey{how: Stores, space: ir.GroupSpace, masked: true, t: ir.I32}, units: units, place: 5}
	p, b := &Profiler{}, &block{of: &code{}, sites: map[int][]*site{}}
	for range 2 { // a block may be made again
		s := p.sitesOf(b, 0, []*request{load, store})
		if len(s) != 2 || s[0].how != Loads || s[0].space != ir.GlobalSpace || s[1].how != Stores || s[1].space != ir.GroupSpace {
			t.Errorf("%d places", len(s))
		}
	}
}
