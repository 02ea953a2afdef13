package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/launch"
)

// counters are the counters of launches, for output.
type counters struct {
	Instructions uint64  `json:"wave_instructions"`
	Memory       traffic `json:"memory"`
	Barriers     uint64  `json:"barriers"`
	Groups       uint64  `json:"groups"`
	Waves        uint64  `json:"waves"`
	Workers      int     `json:"workers"`
	Serial       bool    `json:"serial"` // workgroups ran in order
	Why          string  `json:"why,omitempty"`
	Seconds      float64 `json:"seconds"`
	Exact        bool    `json:"exact"` // the counts of instructions, bytes and atomics are exact
}

// countersOf returns the counters of a launch of code of a set.
func countersOf(r *launch.Result, set string) counters {
	return counters{Instructions: r.Instructions, Memory: trafficOf(&r.Counters, set), Barriers: r.Barriers, Groups: r.Groups, Waves: r.Waves,
		Workers: r.Workers, Serial: r.Serial, Why: r.Why, Seconds: r.Time.Seconds(), Exact: !r.About}
}

// add adds the counters of another launch.
func (c *counters) add(o counters) {
	c.Instructions += o.Instructions
	c.Memory = c.Memory.plus(o.Memory)
	c.Barriers += o.Barriers
	c.Groups += o.Groups
	c.Waves += o.Waves
	c.Workers = max(c.Workers, o.Workers)
	c.Seconds += o.Seconds
	c.Exact = c.Exact && o.Exact
	if o.Serial {
		c.Serial, c.Why = true, o.Why
	}
}

// print prints the counters, and why workgroups ran in order.
func (c counters) print(a *app) {
	a.say("%s\n", c)
	if c.Serial {
		a.say("groups ran in order: %s\n", c.Why)
	}
}

// String returns the counters line.
func (c counters) String() string {
	mips := 0.0
	if c.Seconds > 0 {
		mips = float64(c.Instructions) / c.Seconds / 1e6
	}
	count := func(n uint64) string { return counted(n, c.Exact) }
	return fmt.Sprintf("counters: %s wave-instructions%s, %v, %s%.2f wave-MIPS", count(c.Instructions), c.Memory.text(c.Exact),
		time.Duration(c.Seconds*float64(time.Second)).Round(time.Millisecond), about(c.Exact), mips)
}

// grouped formats a number with blanks between thousands.
func grouped(n uint64) string { return spell.Grouped(n) }

// counted formats a count, which may be inexact.
func counted(n uint64, exact bool) string { return about(exact) + grouped(n) }

// about returns the prefix of an inexact number.
func about(exact bool) string {
	if exact {
		return ""
	}
	return "about "
}

// axes formats a size as 64x48x1, without trailing axes of 1.
func axes(d [3]uint32) string {
	s := []string{fmt.Sprint(d[0])}
	for i := 1; i < 3; i++ {
		if max(d[i], d[2]) > 1 {
			s = append(s, fmt.Sprint(max(d[i], 1)))
		}
	}
	return strings.Join(s, "x")
}

func tableOf(rows [][]string) string { return manual.Table(rows, "  ") }
