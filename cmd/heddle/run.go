package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/clang"
	"github.com/heddle-gpu/heddle/internal/elem"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/fidelity"
	"github.com/heddle-gpu/heddle/internal/linter"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/object"
	"github.com/heddle-gpu/heddle/profile"
	"github.com/heddle-gpu/heddle/sanitize"
)

type runCmd struct {
	Target string `arg:"" optional:"" name:"file" help:"Manifest, folder with a manifest.json, code object, source file (.cl, .c, .ll), assembly, bare code, or - for standard input."`

	Kernel string   `group:"code object" placeholder:"NAME" help:"Kernel; needed if the code object has several."`
	Grid   dims     `group:"code object" placeholder:"X[,Y[,Z]]" help:"Work-items."`
	Block  dims     `group:"code object" placeholder:"X[,Y[,Z]]" help:"Work-items of a group."`
	Arg    []string `group:"code object" sep:"none" placeholder:"[NAME=]TYPE:VALUE" help:"An argument: the one of that name, or the next one in the kernel's order."`

	Kernarg string   `group:"code object" placeholder:"HEX|FILE" help:"The arguments as they lie in memory, in place of --arg. Parts divided by commas may be @NAME, the address of a buffer, or numbers as of --arg."`
	Buf     []string `group:"code object" sep:"none" placeholder:"NAME[@ADDRESS]=CONTENTS" help:"A buffer that no --arg names, at an address of its own if one is given. CONTENTS are those of a buffer in --arg, or parts: and parts as of --kernarg, among them desc:NAME[/STRIDE], the descriptor of a buffer of gcn."`
	Desc    []string `group:"code object" sep:"none" placeholder:"REGISTERS=NAME[/STRIDE]" help:"The buffer descriptor (V#) of a buffer in four scalar registers of gcn when a wave begins: s[4:7]=out."`
	SGPR    []string `name:"sgpr" group:"code object" sep:"none" placeholder:"REG=VALUE" help:"What a scalar register holds when a wave begins: s4=5, s[4:5]=@NAME, s[8:9]=kernarg."`
	VGPR    []string `name:"vgpr" group:"code object" sep:"none" placeholder:"REG=VALUE[,...]" help:"The same of a vector register: one value, or a value for each lane."`

	Compiling

	ISA     string `name:"isa" short:"i" group:"bare code" placeholder:"ISA" help:"The file is bare code of this instruction set, gcn:gfx8 or gfx803, or assembly that does not name its own."`
	Style   `group:"bare code"`
	LDS     uint32 `name:"lds" group:"bare code" range:"0..65536" placeholder:"BYTES" help:"LDS, or other memory of a workgroup."`
	Scratch uint32 `group:"bare code" range:"0.." placeholder:"BYTES" help:"Scratch memory per lane."`
	ABI     string `name:"abi" group:"bare code" enum:",cuda,mesa,radv" default:"" placeholder:"cuda|mesa|radv" help:"Convention of parameters and buffers of a Tesla program: cuda or mesa (cuda). radv: the file is what RADV prints with RADV_DEBUG=shaders."`

	Set  []string `group:"dump of RADV" sep:"none" placeholder:"SET:BINDING=[NAME=]CONTENTS" help:"The buffer of a binding of a descriptor set, with contents as of a buffer in --arg. Given again, the next element of an array."`
	Push string   `group:"dump of RADV" placeholder:"PART[,...]" help:"Push constants from offset 0: hexadecimal digits and numbers, f32:1.5,u32:3."`

	Variant      string `group:"manifest" placeholder:"VARIANT" help:"Run the builds for this variant; all that can run if not given."`
	CodeObject   string `group:"manifest" placeholder:"FILE" help:"Run this build only: its name in the manifest, or its path."`
	NoPNG        bool   `group:"manifest" name:"no-png" help:"Do not write the pictures that the manifest names."`
	AllowOutside bool   `group:"manifest" help:"Let links lead out of the manifest's folder."`
	Dir          string `group:"manifest" default:"." placeholder:"FOLDER" help:"Folder for pictures."`

	Results      `group:"buffers"`
	Expectations `group:"buffers"`

	Engine   enginesFlag `default:"auto" placeholder:"NAME" help:"Engine that runs the code: ${engines}. auto is the fastest that can run here, all runs each engine and compares what they leave with the reference; the exit code is 1 if that differs."`
	Stats    bool        `help:"Print what running took: time by tier of the engine, compiling, code, rates."`
	Workers  int         `range:"0..4096" help:"Groups that run at the same time; 0: as many as processors."`
	Fidelity bool        `help:"Print how exactly the instructions run that were carried out: how many are exact, approximate, modelled, unsupported, by row of the tables, with sources."`
	Relaxed  bool        `help:"Run groups in any order even where results may depend on it."`
	Counted  bool        `name:"exact-counts" help:"Count exactly, even if that is slower."`
	MaxSteps uint64      `range:"1.." placeholder:"N" help:"Limit of guest instructions per wave."`
	Sanitizing
	Check bool `help:"Look for all that can be found: races, missing waits, and what heddle lint finds in the code."`
	Reporting
	Timeout time.Duration `range:"0s..8760h" placeholder:"TIME" help:"Limit of time, such as 30s; 0: none."`
	JSON    bool          `help:"Print JSON."`

	Inspection `group:"instruction by instruction"`

	one      engines.Entry             // with --engine all, the current engine
	expected []expected                // from --expect
	agree    []agreement               // of the engines with the reference
	types    map[string]elem.Type      // of buffers, from the command line
	unset    map[string]bool           // buffers that begin undefined
	from     loc.Map                   // source of code that does not have it
	print    func(io.Writer) io.Writer // for the output of kernels; nil: unchanged
	took     *exec.Measured            // for Stats
	tally    *exec.Tally               // for Fidelity
	counts   *profile.Profiler         // of heddle profile
	done     *atomic.Int64             // completed workgroups; nil: not counted
	image    []byte                    // the code object of a kernel, for --save; nil: it is bare code
	text     []byte                    // of an assembly program
	saved    *savedRun                 // for --save
	bundles  []isa.Bundle              // of assembly with instructions without public encoding

	constants []*launch.Buffer // of a CUDA file
	registers int              // likewise, of a thread
}

func (c *runCmd) Help() string {
	return `- as the file is a code object or a manifest from standard input. A manifest's results are compared with what it expects; the exit code is 1 if they differ or a kernel
faults. An argument (--arg) is a number, i32:5 u32:5 i64:5 u64:5 f32:1.5 f64:1.5 f16:1.5 i8 u8 i16 u16; hex:DIGITS by value; local:BYTES of LDS;
or a buffer: zero:BYTES, undef:BYTES (zeros that --sanitize=init takes as undefined), file:FILE, f32:1,2,3, f32:iota:N[:FROM[:STEP]], f32:fill:V:N, f32:rand:SEED:N[:LOW:HIGH], f32:zero:N, f32:file:FILE, for f32 any
type of --print; docs/inputs.md. Numbers with commas are a vector where the kernel takes one by value. NAME= says which argument
it is, in any order, where the file names them; without NAME= the next argument is meant that no other --arg names. A buffer is called like its
argument; where the file names none, NAME= is what it is called. --expect compares a buffer with a file or such contents. What kernels print goes to standard output, with --json or a
buffer to standard error.

Assembly is assembled first: a program as clang -S writes it, or bare instructions. Bare code begins as clang's kernels do: scratch
resource s[0:3], address of the arguments s[4:5], group id s6 s7 s8, scratch offset s9, work-item id v0 v1 v2.
A program of Tesla begins with its place in $r0 and s[]. For --abi cuda, buffers lie in g14 and --arg is a pointer of 32 bits;
for mesa, buffers are g0, g1 and so on. Numbers go to the parameters. --buf g3= is a buffer in g3, --buf c1= constants.
A program of Valhall begins with its place in r55 to r62. --arg fills the uniform words from u0 on: a buffer is its address in
two words, at an even one; --lds is workgroup memory, --scratch memory of a thread, where the special values say.
A program of Rogue begins with its work-group in cf0 to cf2 and SR 102, its place in vi0, vi1 and SR 112. --arg fills sh0 and the
registers after it in the same way.

A manifest of Valhall has format heddle-valhall-kernel-1. Its builds are bare code or assembly; args of a launch are uniform words,
besides shared_bytes, private_bytes, preload (a mask of r48 to r63), options (subnormals) and resources (tables of buffers for
LD_BUFFER). Buffers may say their address, and words (numbers and addresses of buffers) in place of init. A manifest of Rogue has format
heddle-rogue-kernel-1; args of a launch are shared registers, options are denormals and others.

Of each buffer whose elements are known, from a manifest, the metadata of a code object or --print, minimum, maximum and mean are
printed; the mean is computed in float64. NaNs have no part in them and are counted; infinities have none in the mean. --out, --png and --plot of a
manifest write what its first build leaves. A buffer on standard output (--out NAME=-) is all that is there. On a terminal,
standard error shows how many groups are done, of how many, and when the rest will be, if that takes longer than half a second.

--check runs with --races and --waits and looks at the code as heddle lint does, comments that suppress findings included; all kernels of a code object are
looked at. The exit code is 1 if anything is found: a race, a missing wait, or a finding of lint of severity error, or of what --fail-on says; --fail-on
never reports alone.

With --trace or --break groups run one after another, and what runs is what runs without. A line of the trace is the group and number of
the wave, the address as in a listing, symbol, line of the source, the instruction, and each register that holds something else now:
one value if all lanes hold the same, else those of some lanes. With --json it is one JSON object a line, on standard error or in
the file.

Examples:
  heddle run examples/transpose
  heddle run examples/mandelbrot
  heddle run examples/transpose --print result:u32[4x8] --out result=result.bin --png result=result.png:48x64:i32
  heddle run examples/matmul --print C[8] --plot C --plot C[0:64]:row.png
  heddle run examples/reduction --fidelity
  heddle run examples/saxpy/saxpy.gfx803.s --grid 256 --block 64 --arg y=f32:zero:256 --arg x=f32:iota:256 \
    --arg f32:2 --arg u32:256 --expect y=f32:iota:256:0:2 --engine all
  heddle run examples/reduction --check --fail-on warning
  heddle run examples/reduction --trace=wave:0,max:20
  heddle run examples/reduction --break s_barrier,wave:1 --dump
  heddle run examples/reduction/reduce_lds.gfx803.hsaco --grid 1024 --block 256 \
    --arg buf:examples/reduction/in.in.bin --arg out=zero:16 --arg u32:5000 --out out=sums.bin --print out`
}

// Validate runs before Run.
func (c *runCmd) Validate() error {
	if err := errors.Join(c.Results.read(c.JSON), c.Expectations.check(), c.allEngines(), c.saves(), c.checkReporting()); err != nil {
		return err
	}
	if c.Fidelity && c.wants.toStdout() {
		return errors.New("--fidelity and a buffer would both go to standard output")
	}
	if file := c.Trace.spec.File; c.Trace.on && file != "" {
		if err := c.wants.alone("--trace=file:"+file, file); err != nil {
			return err
		}
	}
	return c.Inspection.check(c.wants.toStdout())
}

func (c *runCmd) Run(a *app) error {
	return c.observed(a, c.JSON, func() error { return c.run(a) })
}

// run runs the file.
func (c *runCmd) run(a *app) error {
	if err := c.readReporting(a); err != nil {
		return err
	}
	err := c.once(a)
	if e := c.writeFindings(a, "run"); e != nil {
		return errors.Join(err, e)
	}
	return err
}

// once runs the file, without what is read before and written after. An error about the size of workgroups is reported
// with the flag; manifests have their own sizes.
func (c *runCmd) once(a *app) error {
	err := c.file(a)
	var e *launch.BlockError
	if errors.As(err, &e) && a.given("block") {
		return hinted{err, fmt.Sprintf("--block %s is the size of a group, --grid %s of all of them together", axes(c.Block), axes(c.Grid))}
	}
	return err
}

// file runs the file.
func (c *runCmd) file(a *app) error {
	if c.Target == "" {
		return errors.New("run: no file; give a manifest, a folder with a manifest.json, or a code object")
	}
	defer a.deadline(c.Timeout)()
	path := c.Target
	if c.ABI == abiRADV {
		return c.radv(a, path)
	}
	if path == "-" {
		return c.stdin(a)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		if path, err = manifestIn(path); err != nil {
			return err
		}
	}
	if err := c.goes(a, path); err != nil {
		return err
	}
	if clang.IsSource(path) {
		data, err := c.Compiling.code(a, path, c.ISA)
		if err != nil {
			return err
		}
		return c.codeObject(a, path, data)
	}
	kind, err := casefile.Detect(path)
	if err != nil {
		return err
	}
	switch kind {
	case casefile.ManifestFile:
		m, err := within(a, "reading "+path, func() (*casefile.Manifest, error) { return casefile.ReadManifestFile(path) })
		if err != nil {
			return err
		}
		return c.manifest(a, m)
	case casefile.HSAFile:
		data, err := a.read(path)
		if err != nil {
			return err
		}
		return c.codeObject(a, path, data)
	}
	if c.ISA != "" || isText(path) || fileIsCubin(path) {
		data, err := a.read(path)
		if err != nil {
			return err
		}
		return c.code(a, path, data)
	}
	return c.unknown(a, path)
}

// manifestIn returns the manifest in a folder.
func manifestIn(folder string) (string, error) {
	path := filepath.Join(folder, "manifest.json")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", hinted{fmt.Errorf("%s: no manifest.json in this folder", folder), "name a file: a code object, source file, assembly or bare code"}
	}
	return path, nil
}

// unknown runs a text that is a program, or says what is wrong with a file that is neither a manifest nor a code
// object. It may be an invalid one: the reader reports where.
func (c *runCmd) unknown(a *app, path string) error {
	if filepath.Ext(path) == ".json" {
		if _, err := casefile.ReadManifestFile(path); err != nil {
			return err
		}
	}
	data, err := a.read(path)
	if err != nil {
		return err
	}
	if _, is := codeobj.Sniff(data); is {
		return c.code(a, path, data)
	}
	if _, err = object.ReadHSAFile(data, path); err == nil {
		err = fmt.Errorf("%s: neither a manifest nor a code object", path)
	}
	return err
}

// stdin runs the contents of standard input. Files that a manifest names are relative to the current folder.
func (c *runCmd) stdin(a *app) error {
	if err := c.goes(a, "-"); err != nil {
		return err
	}
	data, err := a.read("-")
	if err != nil {
		return err
	}
	if object.IsHSA(data) {
		return c.codeObject(a, "-", data)
	}
	_, is := codeobj.Sniff(data)
	if set, _ := asm.SourceISA(data); is || set != "" || c.ISA != "" {
		return c.code(a, "-", data)
	}
	m, err := casefile.ReadManifest(bytes.NewReader(data), "-")
	if err != nil {
		return fmt.Errorf("neither a code object nor a manifest: %w", err)
	}
	return c.manifest(a, m)
}

// settings returns how programs run. Their output goes to standard output unless that is used for something else.
func (c *runCmd) settings(a *app) launch.Settings {
	print := io.Writer(a.out)
	if c.JSON || c.wants.toStdout() {
		print = a.err
	}
	set := launch.Settings{Engine: c.engine(), Workers: c.Workers, Relaxed: c.Relaxed, Counted: c.Counted, Limits: exec.Limits{Steps: c.MaxSteps}, Print: print,
		Watcher: c.watcher()}
	if c.checks()&sanitize.CheckMemory != 0 {
		if set.Declared = true; !c.observes() { // a debugger stops at faults
			set.Policy = exec.RecordFaults
		}
	}
	if c.print != nil {
		set.Print = c.print(set.Print)
	}
	if c.observes() {
		set = set.Stepped(c.stepper())
	}
	if c.held != nil {
		set.Observer = c.held
	}
	set.Done = c.done
	return set
}

// engine returns the engine for a run, with time measurement for --stats.
func (c *runCmd) engine() exec.Engine {
	var e exec.Engine
	if c.Engine == allEngines {
		e = exec.Eager(c.one.New()) // compiled from the first instruction on: the comparison is about its fastest code
	} else {
		e = c.Engine.engine(c.use())
	}
	if c.Stats {
		c.took = exec.Measure(e)
		e = c.took
	}
	if c.Fidelity {
		c.tally = exec.Counting(e)
		e = c.tally
	}
	return e
}

// fidelity returns the fidelity of the executed instructions; nil without --fidelity.
func (c *runCmd) fidelity() (*fidelity.Report, error) {
	if c.tally == nil {
		return nil, nil
	}
	return fidelity.Of(c.tally.Ran())
}

// stopAt makes the debugger stop at a finding, unless it is suppressed.
func (c *runCmd) stopAt(f *sanitize.Finding) {
	if c.except(f) == "" && linter.Ignored(c.ran.comments, f) == nil {
		c.held.Found(f)
	}
}

// watcher returns the watcher for the checks of the sanitizer in all runs, as requested.
func (c *runCmd) watcher() launch.Watcher {
	if c.counts != nil {
		return c.counts
	}
	checks := c.checks()
	if c.Check {
		checks |= sanitize.CheckRace | sanitize.CheckWait
	}
	var stop func(*sanitize.Finding)
	if c.held != nil && checks != 0 {
		stop, c.held.Finds = c.stopAt, true
	}
	if c.found = check.Watch(checks, stop); c.found == nil {
		return nil
	}
	if c.found.Direct = c.observes(); c.held != nil {
		c.held.Init = c.found.Init()
	}
	return c.found
}
