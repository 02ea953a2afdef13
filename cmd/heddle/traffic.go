package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/ir"
)

// A traffic is what code has done in memory, by address space; spaces that it has not accessed are left out.
type traffic []spaceTraffic

// A spaceTraffic is the part of one address space. Flat addresses count in the space that they reach.
type spaceTraffic struct {
	Space   string `json:"space"` // global, group, private or const
	Name    string `json:"name"`  // the same as the set calls it: LDS
	Read    uint64 `json:"bytes_read"`
	Written uint64 `json:"bytes_written"`
	Atomics uint64 `json:"atomics"` // each lane counts; their bytes are in both numbers before
	id      ir.SpaceID
}

// trafficOf returns the traffic that is counted of code of a set; "": of several, or of none that has a name.
func trafficOf(c *exec.Counters, set string) traffic {
	list := traffic{}
	for i, n := range c.Memory {
		if n == (exec.Traffic{}) {
			continue
		}
		id := ir.SpaceID(i)
		name := id.String()
		if t, err := sets.Lookup(set); err == nil {
			name = t.Memory(id)
		}
		list = append(list, spaceTraffic{id.String(), name, n.Read, n.Written, n.Atomics, id})
	}
	return list
}

// plus returns the sum of both, in the order of spaces.
func (c traffic) plus(o traffic) traffic {
	sum := slices.Clone(c)
	for _, n := range o {
		i := slices.IndexFunc(sum, func(x spaceTraffic) bool { return x.Space == n.Space })
		if i < 0 {
			sum = append(sum, n)
			continue
		}
		sum[i].Read += n.Read
		sum[i].Written += n.Written
		sum[i].Atomics += n.Atomics
	}
	slices.SortFunc(sum, func(a, b spaceTraffic) int { return cmp.Compare(a.id, b.id) })
	return sum
}

// text returns the part of a line: ", global 16 bytes read and 4 written, LDS 4 bytes read and 4 written (2 atomics)".
func (c traffic) text(exact bool) string {
	var b strings.Builder
	for _, n := range c {
		fmt.Fprintf(&b, ", %s %s bytes read and %s written", n.Name, counted(n.Read, exact), counted(n.Written, exact))
		switch n.Atomics {
		case 0:
		case 1:
			fmt.Fprintf(&b, " (%s1 atomic)", about(exact))
		default:
			fmt.Fprintf(&b, " (%s atomics)", counted(n.Atomics, exact))
		}
	}
	return b.String()
}
