package timing

import (
	"slices"

	"github.com/heddle-gpu/heddle/profile"
)

// A load is the groups that a core gets. Cores whose waves do the same take the same time: one of them is modelled.
type load struct {
	core   *core
	groups [][]*profile.WaveTrace
	cores  int // that get such groups
}

// loads deals the groups of a launch to its cores, in turn. Cores that are drawn are modelled one by one.
func (m *model) loads(groups [][]*profile.WaveTrace, l *Launch, draws bool) (list []load) {
	for i := range l.Cores {
		var own [][]*profile.WaveTrace
		for k := i; k < len(groups); k += l.Cores {
			own = append(own, groups[k])
		}
		if at := slices.IndexFunc(list, func(x load) bool { return !draws && same(x.groups, own) }); at >= 0 {
			list[at].cores++
			continue
		}
		c := &core{m: m, room: l.Room, stats: newStats(m), number: i, queue: own, simds: make([]simd, l.Room.Units), free: make([]int64, l.Room.Units*len(m.units)+1)}
		if draws {
			c.chart = &chart{}
		}
		list = append(list, load{c, own, 1})
	}
	return list
}

// same reports whether the waves of groups do the same.
func same(a, b [][]*profile.WaveTrace) bool {
	return slices.EqualFunc(a, b, func(x, y []*profile.WaveTrace) bool {
		return slices.EqualFunc(x, y, (*profile.WaveTrace).Same)
	})
}
