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

// ModelFlags are the flags of the model of time.
type ModelFlags struct {
	Timing   bool     `group:"time" help:"Model how long launches and draws take on a chip: what waves wait for, how busy units are."`
	Figure   []string `group:"time" sep:"none" placeholder:"NAME=N" help:"Take another number for a figure of the model, as vmem.latency=400; may be given several times."`
	Perfetto string   `group:"time" placeholder:"FILE" help:"Write the model's waves in time as ui.perfetto.dev and chrome://tracing open them; a clock is shown as 1 ns."`
}

// timed reports whether time is modelled.
func (t *ModelFlags) timed() bool { return t.Timing || t.Perfetto != "" }

// ProfileTiming are those flags, and the chip.
type ProfileTiming struct {
	ModelFlags
	Chip string `group:"time" placeholder:"NAME" help:"Chip whose figures the model takes; by default the first of the instruction set's variant: heddle cost --chips lists them."`
}

// check reports flags that do not go with others.
func (t *ProfileTiming) check(c *profileCmd) error {
	switch {
	case !t.timed() && (t.Chip != "" || len(t.Figure) > 0):
		return errors.New("--chip and --figure are about the model of time; --timing asks for it")
	case t.Perfetto == "-" && (c.JSON || c.toStdout()):
		return errors.New("--perfetto would go to standard output, where something else goes")
	}
	_, err := chips.Named("", t.Chip) // before the run, whose instruction set is not known yet
	return err
}

// chip returns the chip of an instruction set and variant, with the figures that are set.
func (t *ProfileTiming) chip(isa string) (*chips.Chip, error) { return t.figures(isa, t.Chip) }

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

// figures returns a chip with the figures that are set.
func (t *ModelFlags) figures(isa, name string) (*chips.Chip, error) {
	chip, err := chips.Named(isa, name)
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
func (t *ModelFlags) perfetto(a *app, list []profiles.Profile) error {
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
		a.say("%s: %s and their stalls are left out, being too many\n", t.Perfetto, spell.Count(left, "wave"))
	}
	return a.save(t.Perfetto, func(w io.Writer) error { return profiles.WritePerfetto(w, list) })
}

// printSequence prints the launches and the stages of draws of all codes in their order, if there are several codes.
func printSequence(a *app, list []profiles.Profile) {
	launches := profiles.Sequence(list)
	if len(list) < 2 || len(launches) == 0 {
		return
	}
	all := 0.0
	for _, l := range launches {
		all += l.Clocks
	}
	a.say("\ntime: %.0f clocks, modelled, of launches and stages one after another\n", all)
	rows := [][]string{{"SHARE", "CLOCKS", "BEGINS", "WAVES", "LAUNCH"}}
	for _, l := range launches[:min(mostSequence, len(launches))] {
		rows = append(rows, []string{fmt.Sprintf("%.1f %%", 100*l.Clocks/max(all, 1)), fmt.Sprintf("%.0f", l.Clocks), fmt.Sprintf("%.0f", l.Begin), grouped(uint64(l.Waves)), l.Name()})
	}
	printTable(a, rows)
	if n := len(launches) - mostSequence; n > 0 {
		a.say("  and %s more\n", grouped(uint64(n)))
	}
}

// mostSequence is how many launches are listed in their order, and mostLaunches how many of one code.
const (
	mostSequence = 20
	mostLaunches = 20
)

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
	for i := range r.Launches[:min(mostLaunches, len(r.Launches))] {
		a.say("  %s\n", r.Launches[i].String())
	}
	if n := len(r.Launches) - mostLaunches; n > 0 {
		a.say("  and %s more, all with %.0f clocks\n", spell.Count(n, "launch"), r.Clocks)
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
