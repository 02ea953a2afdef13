package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/profiles"
)

type profileCmd struct {
	runCmd
	Hot     int    `default:"10" range:"0.." placeholder:"N" help:"How many lines of the source to list as the hottest."`
	Compare string `placeholder:"FILE" help:"Show where the profile differs from that of this file, another input of the same kind or a profile of --json: what was before."`
	ProfileFiles
	ProfileTiming

	other bool // flags of the run are for another file
}

func (c *profileCmd) Help() string {
	return `Runs a file as heddle run does, with its options, draws a scene, or reads a profile of --json, and prints what each instruction did, in numbers that are exact:
waves that executed it, lanes that were active on average, its share of all instructions, which way branches went, and for accesses
to memory lines, bank conflicts and repeated atomics. docs/profile.md says what the numbers mean.

Examples:
  heddle profile examples/transpose
  heddle profile examples/reduction --hot 3
  heddle profile cases/render/gcn/mvp_cube --variant gfx7
  heddle profile examples/saxpy/saxpy.gfx803.s --grid 256 --block 64 --arg y=f32:zero:256 --arg x=f32:iota:256 \
    --arg f32:2 --arg u32:256
  heddle profile examples/reduction --json > reduction.json
  heddle profile reduction.json --by conflict_passes
  heddle profile examples/reduction --timing --chip polaris10 --figure vmem.latency=500
  heddle profile examples/reduction --perfetto reduction.trace.json
  heddle profile cases/render/gcn/mvp_cube --timing --chip polaris10
  heddle profile examples/reduction --html reduction.html
  heddle profile examples/reduction --compare reduction.json
  heddle profile examples/reduction --pprof reduction.pb.gz --csv reduction.csv
  heddle profile examples/reduction --folded - --by lane_instructions > reduction.folded`
}

// Validate runs before Run.
func (c *profileCmd) Validate() error {
	switch {
	case c.Target == "":
		return errors.New("no file; give a manifest, a folder with a manifest.json, a code object, assembly or bare code")
	case c.Inspection.asked():
		return errors.New("--trace, --break and --dump are flags of heddle run")
	case c.checks() != 0 || c.Check:
		return errors.New("checks of the sanitizer are flags of heddle run: what they add to the code would count")
	case c.Engine == allEngines:
		return errors.New("--engine all is of heddle run; all engines count the same")
	}
	if err := c.runCmd.Validate(); err != nil {
		return err
	}
	if c.wants.toStdout() {
		return errors.New("standard output holds the profile; a buffer can go to a file")
	}
	if err := c.ProfileTiming.check(c); err != nil {
		return err
	}
	return c.ProfileFiles.check(c.JSON, &c.wants)
}

func (c *profileCmd) Run(a *app) error {
	if err := writable(c.paths()...); err != nil {
		return err
	}
	if a.given("by") && c.JSON && c.Compare == "" && c.Folded == "" && c.HTML == "" {
		return errors.New("profile: --by does not go with --json, which has all counts")
	}
	if c.Compare != "" {
		return c.compare(a)
	}
	list, err := c.profiled(a)
	if len(list) == 0 {
		return err
	}
	if e := errors.Join(c.ProfileFiles.write(a, list, nil), c.perfetto(a, list)); e != nil {
		return errors.Join(err, e)
	}
	switch {
	case c.JSON:
		return errors.Join(err, a.json(list))
	case c.toStdout():
		return err
	}
	notShown := ""
	for i := range list {
		if p := &list[i]; p.NotShown != notShown && p.NotShown != "" {
			notShown = p.NotShown
			a.say("source not shown: %s\n", notShown)
		}
		if i == 0 {
			printSequence(a, list)
		}
		printProfile(a, &list[i], c.Hot, profiles.MetricOf(c.By))
	}
	return err
}

// profiled returns the profiles of a run, or those that a file has. The run may have ended with an error.
func (c *profileCmd) profiled(a *app) ([]profiles.Profile, error) {
	by := profiles.MetricOf(c.By)
	if saved, err := isSavedProfile(c.Target); err != nil || saved {
		if err == nil && !c.other {
			err = a.fits("profile", 'j', c.Target)
		}
		if err != nil {
			return nil, err
		}
		data, err := a.read(c.Target)
		if err != nil {
			return nil, err
		}
		list, err := profiles.Read(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Target, err)
		}
		if err := hasCount(by, modelled(list), c.Target); err != nil {
			return nil, err
		}
		return list, nil
	}
	if err := hasCount(by, c.timed(), c.Target); err != nil {
		return nil, err
	}
	if isScene(c.Target) {
		return c.drawn(a)
	}
	c.counts = profiles.New()
	if c.timed() {
		c.counts = profiles.NewTimed()
	}
	run, out := a, bytes.Buffer{}
	if c.JSON || c.toStdout() || c.Compare != "" {
		run = a.printsTo(&out)
	}
	err := c.run(run)
	if e := run.out.Flush(); e != nil {
		return nil, errors.Join(err, e)
	}
	list := profiles.Of(c.counts)
	if fault := (*exec.Fault)(nil); !errors.As(err, &fault) {
		err = errors.Join(err, c.ProfileTiming.model(list, c.counts, c.Perfetto+c.HTML != ""))
	} else if c.timed() {
		a.say("the time is not modelled: a launch ended by a fault\n")
	}
	return c.counted(list, err)
}

// drawn returns the profiles of the programs of a scene, in the draws of a picture, which may have ended with an error.
func (c *profileCmd) drawn(a *app) ([]profiles.Profile, error) {
	if !c.other {
		if err := a.fits("profile", 'd', c.Target); err != nil {
			return nil, err
		}
	}
	defer a.deadline(c.Timeout)()
	live := profiles.Live{Timed: c.timed()}
	counts, ended := live.Dispatch()
	r := renderCmd{Scene: c.Target, Variant: c.Variant, Engine: engineFlag(c.Engine), MaxSteps: c.MaxSteps, AllowOutside: c.AllowOutside, counts: counts}
	_, err := r.draw(a)
	ended(err)
	list := live.Profiles()
	if err == nil && c.timed() {
		_, err = live.Time(list, c.Perfetto+c.HTML != "", c.chip)
	} else if c.timed() {
		a.say("the time is not modelled: a draw ended by a fault\n")
	}
	return c.counted(list, err)
}

// counted returns profiles with the text of their source. The run may have ended with an error.
func (c *profileCmd) counted(list []profiles.Profile, err error) ([]profiles.Profile, error) {
	if len(list) == 0 {
		left := ""
		if c.counts != nil {
			left = c.counts.Incomplete()
		}
		return nil, cmp.Or(err, error(wrong{fmt.Errorf("no instruction was counted: %s", cmp.Or(left, "none ran"))}))
	}
	dir := c.Target
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	profiles.Embed(list, &debug.Sources{Dirs: []string{dir}})
	var fault *exec.Fault
	for i := range list {
		if list[i].Incomplete == "" && errors.As(err, &fault) {
			list[i].Incomplete = "a launch ended by a fault"
		}
	}
	return list, err
}

// printProfile prints the hottest lines by a count, and all instructions.
func printProfile(a *app, p *profiles.Profile, hot int, by *profiles.Metric) {
	var names []string
	for _, l := range p.Launches {
		times := "1 launch"
		if l.Count != 1 {
			times = grouped(l.Count) + " launches"
		}
		names = append(names, fmt.Sprintf("%s (%s)", l.Kernel, times))
	}
	a.say("\nprofile of %s on %s: %s wave-instructions, %s lanes active on average\n", strings.Join(names, ", "), p.ISA, grouped(p.Instructions), profiles.Average(p.Lanes, p.Instructions))
	for _, line := range p.Occupancies() {
		a.say("occupancy: %s\n", line)
	}
	a.say("memory: %s\n", p.Memory.Source)
	printTiming(a, p)
	if p.Incomplete != "" {
		a.say("incomplete: %s\n", p.Incomplete)
	}
	units := [][]string{{"SHARE", "WAVES", "LANES", "UNIT"}}
	for _, u := range p.Mix {
		units = append(units, []string{profiles.Share(u.Waves, p.Instructions), grouped(u.Waves), profiles.Average(u.Lanes, u.Waves), u.Name})
	}
	printTable(a, units)
	printHottest(a, p, hot, by)
	rows := [][]string{{"SHARE", "WAVES", "LANES", "ADDRESS", "INSTRUCTION", ""}}
	for i := range p.List {
		in := &p.List[i]
		rows = append(rows, []string{profiles.Share(in.Waves, p.Instructions), grouped(in.Waves), profiles.Average(in.Lanes, in.Waves), fmt.Sprintf("%#x", in.Addr), in.Text, in.Notes(&p.Memory)})
	}
	if p.Timing != nil {
		for i, r := range rows {
			time := "TIME"
			if i > 0 {
				time = p.TimeShare(&p.List[i-1])
			}
			rows[i] = append([]string{time}, r...)
		}
	}
	printTable(a, rows)
}

// printTable prints a table after an empty line.
func printTable(a *app, rows [][]string) {
	for _, r := range rows {
		for k := range r {
			r[k] = shown(r[k])
		}
	}
	fmt.Fprintf(a.out, "\n%s", tableOf(rows))
}

// printHottest prints the lines of the source with most of a count.
func printHottest(a *app, p *profiles.Profile, n int, by *profiles.Metric) {
	head := "SHARE"
	if by != &profiles.Metrics[0] {
		head += " OF " + by.Name
	}
	rows := [][]string{{head, "LINE", ""}}
	total := by.Total(p)
	for _, l := range p.Hottest(by) {
		if len(rows) <= n && l.Compiled {
			rows = append(rows, []string{profiles.Share(l.Count, total), l.At.String(), l.Text})
		}
	}
	if len(rows) > 1 {
		printTable(a, rows)
	}
}
