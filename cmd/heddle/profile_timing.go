package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/profiles"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/internal/timing"
	"github.com/heddle-gpu/heddle/profile"
)

// ProfileTiming are the flags of the model of time.
type ProfileTiming struct {
	Timing   bool     `group:"time" help:"Model how long the launches take on a chip: what waves wait for, how busy units are."`
	Chip     string   `group:"time" placeholder:"NAME" help:"Chip whose figures the model takes; by default the first of the instruction set's variant: heddle cost --chips lists them."`
	Figure   []string `group:"time" sep:"none" placeholder:"NAME=N" help:"Take another number for a figure of the model, as vmem.latency=400; may be given several times."`
	Perfetto string   `group:"time" placeholder:"FILE" help:"Write the model's waves in time as ui.perfetto.dev and chrome://tracing open them; a clock is shown as 1 ns."`
}

// timed reports whether time is modelled.
func (t *ProfileTiming) timed() bool { return t.Timing || t.Perfetto != "" }

// check reports flags that do not go with others.
func (t *ProfileTiming) check(c *profileCmd) error {
	switch {
	case !t.timed() && (t.Chip != "" || len(t.Figure) > 0):
		return errors.New("--chip and --figure are about the model of time; --timing asks for it")
	case t.timed() && isScene(c.Target):
		return errors.New("--timing: draws have no model of time yet, only launches")
	case t.Perfetto == "-" && (c.JSON || c.toStdout()):
		return errors.New("--perfetto would go to standard output, where something else goes")
	}
	_, err := chips.Named("", t.Chip) // before the run, whose instruction set is not known yet
	return err
}

// modelled reports whether profiles have a model of time.
func modelled(list []profiles.Profile) bool {
	return slices.ContainsFunc(list, func(p profiles.Profile) bool { return p.Timing != nil })
}

// hasCount reports a --by that profiles do not have: a count of time without a model of it.
func hasCount(by *profiles.Metric, timed bool, path string) error {
	if by.Modelled() && !timed {
		return fmt.Errorf("profile: --by %s needs --timing: %s has no model of time", by.Name, path)
	}
	return nil
}

// chip returns the chip of an instruction set and variant, with the figures that are set.
func (t *ProfileTiming) chip(isa string) (*chips.Chip, error) {
	chip, err := chips.Named(isa, t.Chip)
	if err != nil {
		return nil, err
	}
	for _, s := range t.Figure {
		if err := chip.Set(s); err != nil {
			return nil, fmt.Errorf("--figure %w", err)
		}
	}
	return chip, nil
}

// model adds the model to profiles, if it is asked for.
func (t *ProfileTiming) model(list []profiles.Profile, counts *profile.Profiler, draws bool) error {
	if !t.timed() {
		return nil
	}
	return profiles.Time(list, counts, draws, t.chip)
}

// perfetto writes the waves in time, if that is asked for.
func (t *ProfileTiming) perfetto(a *app, list []profiles.Profile) error {
	if t.Perfetto == "" || !modelled(list) {
		return nil
	}
	left := 0
	for i := range list {
		if r := list[i].Timing; r != nil {
			left += r.Left()
		}
	}
	if left > 0 {
		a.say("%s: %s of waves and counts of operations are left out, being too many\n", t.Perfetto, spell.Count(left, "stall"))
	}
	return a.save(t.Perfetto, func(w io.Writer) error { return profiles.WritePerfetto(w, list) })
}

// printTiming prints the sums of the model.
func printTiming(a *app, p *profiles.Profile) {
	r := p.Timing
	if r == nil {
		return
	}
	chosen := ""
	if r.Default {
		chosen = ", the default"
	}
	a.say("time on %s%s: %s\n", r.Chip, chosen, r.Says)
	if r.Lacks > 0 {
		a.say("  without a figure: %s\n", spell.Count(r.Lacks, "instruction"))
	}
	if len(r.Unused) > 0 {
		a.say("  no instruction that ran uses %s\n", strings.Join(r.Unused, ", "))
	}
	for i := range r.Launches {
		a.say("  %s\n", r.Launches[i].String())
	}
	a.say("  bottleneck: %s\n  waves spent: %s\n  units busy: %s\n  figures: %s\n", r.Bound, parts(r.Spent), parts(r.Units), sureness(r.Figures))
}

// parts formats parts by their shares.
func parts(list []timing.Part) string {
	var text []string
	for _, x := range list {
		text = append(text, fmt.Sprintf("%s %.1f %%", x.Name, 100*x.Share))
	}
	if len(text) == 0 {
		return "none"
	}
	return strings.Join(text, ", ")
}
