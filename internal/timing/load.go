package timing

import (
	"slices"

	"github.com/heddle-gpu/heddle/profile"
)

// A load is the groups that a core gets. Cores whose waves do the same take the same time: one of them is modelled.
type load struct {
	core   *core
	groups [][]member
}

// A member is a wave of a group. Waves of draws may be wider than those of the chip: then it is one of several parts.
type member struct {
	*profile.WaveTrace
	group [3]uint32
	parts int64
}

// groups returns the waves of a trace by group, and how many there are.
func (m *model) groups(t *profile.Trace) (list [][]member, waves int) {
	for i := range t.Waves {
		w := &t.Waves[i]
		switch {
		case w.Lanes != 0:
			parts := m.parts(w.Lanes)
			for range parts {
				list = append(list, []member{{w, [3]uint32{uint32(len(list))}, int64(parts)}})
			}
			continue
		case i == 0 || w.Group != t.Waves[i-1].Group:
			list = append(list, nil)
		}
		list[len(list)-1] = append(list[len(list)-1], member{w, w.Group, 1})
		waves++
	}
	if t.Draw != nil {
		waves = len(list)
	}
	return list, waves
}

// parts returns how many waves of the chip have some of the lanes.
func (m *model) parts(lanes uint64) (n int) {
	width := int(m.chip.Value("wave.lanes"))
	if width <= 0 || width >= 64 {
		return 1
	}
	for ; lanes != 0; lanes >>= width {
		if lanes&(1<<width-1) != 0 {
			n++
		}
	}
	return n
}

// loads deals the groups of a launch to its cores, in turn. Cores that are drawn are modelled one by one.
func (m *model) loads(groups [][]member, l *Launch, shapes *int) (list []load) {
	draws := shapes != nil && *shapes > 0
	for i := range l.Cores {
		var own [][]member
		for k := i; k < len(groups); k += l.Cores {
			own = append(own, groups[k])
		}
		if at := slices.IndexFunc(list, func(x load) bool { return !draws && same(x.groups, own) }); at >= 0 {
			list[at].core.same++
			continue
		}
		c := &core{m: m, room: l.Room, number: i, same: 1, queue: own, simds: make([]simd, l.Room.Units), free: make([]int64, l.Room.Units*len(m.units)+1)}
		if draws {
			c.chart = &chart{most: min(mostOfCore, *shapes/l.Cores/2)}
		}
		list = append(list, load{c, own})
	}
	return list
}

// same reports whether the waves of groups do the same.
func same(a, b [][]member) bool {
	return slices.EqualFunc(a, b, func(x, y []member) bool {
		return slices.EqualFunc(x, y, func(v, w member) bool { return v.parts == w.parts && v.Same(w.WaveTrace) })
	})
}
