package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/fidelity"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/chip"
	"github.com/heddle-gpu/heddle/internal/gpu/host"
	"github.com/heddle-gpu/heddle/internal/profiles"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/mem"
)

// start runs the program with the GPU.
func (c *gpuCmd) start(a *app) (err error) {
	trace, closeTrace, err := c.trace(a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeTrace()) }()
	found, err := chip.Lookup(string(c.Chip))
	if err != nil {
		return err
	}
	opt := amdgpu.Options{Engine: c.Engine.engine(engines.Use{}), Workers: c.Workers, Hang: c.Hang, Trace: trace}
	findings := c.watch(a, &opt)
	live, err := c.count(&opt)
	if err != nil {
		return err
	}
	if err := c.capture(a, &opt); err != nil {
		return err
	}
	if c.Fidel {
		c.tally = exec.Counting(opt.Engine)
		opt.Engine = c.tally
	}
	ctx, stop := context.WithCancel(a.ctx)
	defer stop()
	if c.DAP != "" {
		editors, e := c.editors(a, stop)
		if e != nil {
			return e
		}
		opt.Debug, opt.Hang = editors.feed, 0
		defer func() { editors.end(err) }()
		if err := editors.wait(ctx); err != nil {
			return err
		}
	}
	gpu, err := amdgpu.New(found, opt)
	if err != nil {
		return err
	}
	begin := time.Now()
	err = c.program(ctx, a, gpu)
	if c.Stats {
		err = errors.Join(err, c.stats(a, gpu, time.Since(begin)))
	}
	if c.tally != nil {
		err = errors.Join(err, c.fidelity(a))
	}
	if live != nil {
		err = errors.Join(err, c.profile(a, live))
	}
	if n := findings.Load(); n > 0 && err == nil {
		return wrong{fmt.Errorf("%s in the program's dispatches", spell.Count(n, "finding"))}
	}
	var exit *host.Exit
	if errors.As(err, &exit) && ctx.Err() == nil {
		return told(exit.Status())
	}
	return err
}

// program runs the program.
func (c *gpuCmd) program(ctx context.Context, a *app, gpu *amdgpu.Driver) error {
	tree, err := host.NewTree()
	if err != nil {
		return err
	}
	defer tree.Close()
	if err := gpu.Describe(tree); err != nil {
		return err
	}
	arena, err := host.NewArena("heddle-gpu")
	if err != nil {
		return err
	}
	defer arena.Close()
	return host.Run(ctx, host.Config{Program: c.Program, Env: gpu.Environ(os.Environ()), Tree: tree, Types: []byte(amdgpu.RequestTypes),
		Nodes: gpu.Nodes(arena, a.err), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
}

// watch makes the sanitizer watch dispatches, and returns how many findings there are.
func (c *gpuCmd) watch(a *app, opt *amdgpu.Options) *atomic.Int64 {
	found := &atomic.Int64{}
	if c.checks() == 0 {
		return found
	}
	seen := &sync.Map{}
	tell := func(f check.Findings, incomplete string) {
		if incomplete != "" {
			fmt.Fprintf(a.err, "heddle gpu: %s\n", incomplete)
		}
		for i := range f.Findings {
			x := &f.Findings[i]
			if x.Found.Severity() == isa.SeverityNote { // standard error is the program's, too
				continue
			}
			key := toldKey{id: x.ID, pc: x.Found.At.PC}
			if len(x.Found.Others) > 0 {
				key.other = x.Found.Others[0].PC
			}
			if _, again := seen.LoadOrStore(key, true); !again {
				if x.Found.Severity() == isa.SeverityError {
					found.Add(1)
				}
				fmt.Fprintf(a.err, "heddle gpu: %s: %v [%s] %s\n", x.Severity, &x.Found, x.Rule, x.ID)
			}
		}
	}
	opt.Watch = func(shadow func(*mem.Segment) []byte) amdgpu.Watching {
		return check.WatchDevice(c.checks(), shadow, tell)
	}
	return found
}

// A toldKey is what findings of dispatches are told once by.
type toldKey struct {
	id        string
	pc, other uint64 // of its instructions
}

// fidelity prints how exactly the instructions of all dispatches ran.
func (c *gpuCmd) fidelity(a *app) error {
	r, err := fidelity.Of(c.tally.Ran())
	if err != nil {
		return err
	}
	out := a.out
	defer func() { a.out = out }()
	a.out = bufio.NewWriter(a.err) // standard output is the program's
	printFidelity(a, r)
	return a.out.Flush()
}

// capture sets where dispatches are written.
func (c *gpuCmd) capture(a *app, opt *amdgpu.Options) error {
	if c.Capture == "" {
		return nil
	}
	opt.Captures = &amdgpu.Captures{Folder: c.Capture, Most: c.Most, Log: func(format string, args ...any) { fmt.Fprintf(a.err, "heddle gpu: "+format+"\n", args...) }}
	return emptyFolder("--capture", c.Capture)
}

// count makes a profiler watch dispatches; nil: none is asked for.
func (c *gpuCmd) count(opt *amdgpu.Options) (*profiles.Live, error) {
	if !c.Prof {
		return nil, nil
	}
	if c.timed() { // before the program runs
		found, err := chip.Lookup(string(c.Chip))
		if err == nil {
			_, err = c.figures(fmt.Sprintf("gcn:gfx%d", found.Gen), found.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("gpu: %w", err)
		}
	}
	live := &profiles.Live{Timed: c.timed()}
	opt.Watch = func(func(*mem.Segment) []byte) amdgpu.Watching { return live }
	return live, errors.Join(c.ProfileFiles.check(false, &wants{}), writable(append(c.paths(), c.Perfetto)...))
}

// model adds the model of time to what the dispatches did, if it is asked for.
func (c *gpuCmd) model(a *app, live *profiles.Live, list []profiles.Profile) error {
	if !c.timed() {
		return nil
	}
	lost, err := live.Time(list, c.Perfetto+c.HTML != "", func(isa string) (*chips.Chip, error) { return c.figures(isa, string(c.Chip)) })
	if lost > 0 {
		a.say("heddle gpu: profile: the time of %s is not modelled: they ended by a fault, or were too many or too long\n", spell.Count(lost, "dispatch"))
	}
	return errors.Join(err, c.perfetto(a, list))
}

// profile prints and writes what the dispatches did.
func (c *gpuCmd) profile(a *app, live *profiles.Live) error {
	out := a.out
	defer func() { a.out = out }()
	a.out = bufio.NewWriter(a.err) // standard output is the program's
	list := live.Profiles()
	err := c.model(a, live, list)
	err = errors.Join(err, c.ProfileFiles.write(a, list, nil))
	if c.JSON {
		return errors.Join(err, a.json(append([]profiles.Profile{}, list...)), a.out.Flush())
	}
	all, dispatches := uint64(0), uint64(0)
	for i := range list {
		all += list[i].Instructions
		dispatches += list[i].LaunchCount()
	}
	a.say("heddle gpu: profile: kernels %d, dispatches %s, wave-instructions %s\n", len(list), grouped(dispatches), grouped(all))
	if len(list) > 0 && list[0].Incomplete != "" {
		a.say("heddle gpu: profile: incomplete: %s\n", list[0].Incomplete)
	}
	rows := [][]string{{"SHARE", "WAVE-INSTRUCTIONS", "DISPATCHES", "LANES", "OCCUPANCY", "KERNEL"}}
	for i := range list {
		p := &list[i]
		rows = append(rows, []string{profiles.Share(p.Instructions, all), grouped(p.Instructions), grouped(p.LaunchCount()), profiles.Average(p.Lanes, p.Instructions), p.Occupied(), p.Launches[0].Kernel})
	}
	if len(list) > 0 {
		printTable(a, rows)
	}
	printSequence(a, list)
	for i := range list[:min(c.Hot, len(list))] {
		printProfile(a, &list[i], c.Hot, profiles.MetricOf(c.By))
	}
	return errors.Join(err, a.out.Flush())
}

// trace opens the file of --trace.
func (c *gpuCmd) trace(a *app) (io.Writer, func() error, error) {
	switch c.Trace {
	case "":
		return nil, func() error { return nil }, nil
	case "-":
		return a.err, func() error { return nil }, nil
	}
	f, err := os.Create(c.Trace)
	if err != nil {
		return nil, nil, err
	}
	return f, f.Close, nil
}

// gpuStats is the output of --stats --json.
type gpuStats struct {
	Seconds      float64 `json:"seconds"`
	Submissions  uint64  `json:"submissions"`
	Packets      uint64  `json:"packets"`
	Dispatches   uint64  `json:"dispatches"`
	Groups       uint64  `json:"groups"`
	Waves        uint64  `json:"waves"`
	Instructions uint64  `json:"wave_instructions"`
	Running      float64 `json:"dispatch_seconds"`
	Programs     uint64  `json:"programs"`
	Faults       uint64  `json:"faults"`
}

// stats prints what the GPU has done.
func (c *gpuCmd) stats(a *app, gpu *amdgpu.Driver, wall time.Duration) error {
	s := &gpu.Stats
	g := gpuStats{wall.Seconds(), s.Submissions.Load(), s.Packets.Load(), s.Dispatches.Load(), s.Groups.Load(), s.Waves.Load(),
		s.Instructions.Load(), time.Duration(s.Time.Load()).Seconds(), s.Programs.Load(), s.Faults.Load()}
	if c.JSON {
		e := json.NewEncoder(a.err)
		e.SetIndent("", "  ")
		return e.Encode(g)
	}
	_, err := fmt.Fprintf(a.err, "heddle gpu: %d submissions, %d packets, %d dispatches of %d programs: %d groups, %d waves, %d wave-instructions in %.3f s of %.3f s; %d faults\n",
		g.Submissions, g.Packets, g.Dispatches, g.Programs, g.Groups, g.Waves, g.Instructions, g.Running, g.Seconds, g.Faults)
	return err
}
