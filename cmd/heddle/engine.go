package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/elem"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/picture"
	"github.com/heddle-gpu/heddle/internal/profiles"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// An engineFlag names an engine.
type engineFlag string

// helpVars returns the variables of help texts.
func helpVars() kong.Vars {
	return kong.Vars{"engines": strings.Join(engines.Names(), ", "), "version": versionOf().String(), "types": elem.TypeNames, "shown": picture.Shown,
		"counts": strings.Join(profiles.MetricNames(), ","), "listed": strings.Join(profiles.MetricNames(), ", ")}
}

// UnmarshalText rejects names that are no engine, and engines that cannot run here.
func (e *engineFlag) UnmarshalText(text []byte) error {
	*e = engineFlag(text)
	return engines.Check(string(*e))
}

// engine returns the named engine.
func (e engineFlag) engine(u engines.Use) exec.Engine {
	found, err := engines.Lookup(string(e), u)
	if err != nil {
		panic(err) // UnmarshalText has checked it
	}
	return found
}

// stats are the costs of a run, for output. Numbers of instructions or operations are exact if the counters printed
// with them are.
type stats struct {
	Engine       string      `json:"engine"`
	Tiers        []tierStats `json:"tiers"`
	Blocks       int         `json:"blocks"` // lifted
	Lifting      float64     `json:"lift_seconds"`
	Forms        int         `json:"compiled"`
	Compiling    float64     `json:"compile_seconds"` // including the lifting of blocks not lifted before
	Code         int         `json:"code_bytes"`
	Lacks        string      `json:"no_machine_code,omitempty"` // the reason, for an engine that should make some
	Slow         []slowStats `json:"without_machine_code,omitempty"`
	Instructions float64     `json:"wave_instructions_per_second"`
	MIPS         float64     `json:"wave_mips"`
	Exact        bool        `json:"exact"`
}

type tierStats struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"` // total over all workers
}

// A slowStats is instructions that the engine's machine code did not execute, or not wholly.
type slowStats struct {
	Name         string  `json:"why"`
	Instructions uint64  `json:"wave_instructions"`
	Share        float64 `json:"share"` // of all
}

// mostSlow is how many reasons --stats prints.
const mostSlow = 5

// statsOf returns the costs measured by the engine, with the counters.
func statsOf(m *exec.Measured, c *counters) *stats {
	if m == nil {
		return nil
	}
	t := m.Taken()
	s := &stats{Engine: m.Name(), Blocks: t.Blocks, Lifting: t.Lifting.Seconds(), Forms: t.Forms, Compiling: t.Compiling.Seconds(), Code: t.Code, Lacks: t.Lacks,
		Exact: c.Exact}
	for _, tier := range t.Tiers {
		s.Tiers = append(s.Tiers, tierStats{tier.Name, tier.Time.Seconds()})
	}
	for _, x := range t.Slow {
		s.Slow = append(s.Slow, slowStats{x.Name, x.N, float64(x.N) / max(float64(c.Instructions), 1)})
	}
	if c.Seconds > 0 {
		s.Instructions = float64(c.Instructions) / c.Seconds
		s.MIPS = s.Instructions / 1e6
	}
	return s
}

// print prints the lines of --stats, if requested.
func (s *stats) print(a *app) {
	if s == nil {
		return
	}
	a.say("engine: %s\n", s.Engine)
	for _, t := range s.Tiers {
		a.say("  %-10s %s in all workers\n", t.Name, inMilliseconds(t.Seconds))
	}
	a.printf("  lifted     %s in %s\n", spell.Count(s.Blocks, "block"), inMilliseconds(s.Lifting))
	a.printf("  compiled   %s in %s with lifting, %s of machine code\n", spell.Count(s.Forms, "form"), inMilliseconds(s.Compiling), spell.Count(s.Code, "byte"))
	if s.Lacks != "" {
		a.printf("  no machine code: %s\n", s.Lacks)
	}
	for i, x := range s.Slow {
		if i < mostSlow {
			a.printf("  not in machine code: %.2f %%, %s\n", 100*x.Share, x.Name)
		}
	}
	about := about(s.Exact)
	a.printf("  a second   %s%s wave-instructions (%s%.2f wave-MIPS)\n", about, grouped(uint64(s.Instructions)), about, s.MIPS)
}

func inMilliseconds(seconds float64) string {
	return fmt.Sprint(time.Duration(seconds * float64(time.Second)).Round(10 * time.Microsecond))
}
