package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/ir"
)

type evalCmd struct {
	ISA   string `name:"isa" short:"i" placeholder:"ISA" help:"Instruction set."`
	Stage string `placeholder:"STAGE" help:"Stage, where decoding depends on it."`
	Style
	Lanes   bool       `short:"l" help:"Show every lane on a line of its own."`
	JSON    bool       `help:"Print the result as a case object of the state format."`
	Mode    string     `placeholder:"MODE" help:"Mode register: fields by name, such as round=rtz,denorm=f32:keep, or hexadecimal digits."`
	Name    string     `default:"eval" help:"Name of the case."`
	Mem     []string   `sep:"none" placeholder:"ADDR=WHAT" help:"Global memory: zero:BYTES, hex:DIGITS, a file, or -."`
	LDS     string     `name:"lds" placeholder:"WHAT" help:"Group memory at address 0: zero:BYTES, hex:DIGITS, a file, or -."`
	Engine  engineFlag `default:"auto" placeholder:"NAME" help:"Engine that runs the code: ${engines}. auto is reference here: each instruction runs by itself."`
	Steps   uint64     `name:"max-steps" default:"1000000" range:"1.." help:"Limit of instructions."`
	Program string     `arg:"" optional:"" help:"Instructions as text or hex, separated by semicolons or line ends; a file that holds them, or - for standard input."`
	Assign  []string   `arg:"" optional:"" name:"reg=value" help:"Registers before the first instruction."`
}

func (c *evalCmd) Help() string {
	return `Values are integers (12, -1, 0x3f800000), floats (1.5, inf, nan), typed (f16:1.5, i64:-1), or a list with
one value per lane: v1=1.5,2.5,3.5 runs three lanes. Registers not given are 0. A float is one as the program
reads it from there: an f16 of v_add_f16, an f64 in a register pair. (1 2 3 4) are the components of a register:
words of a descriptor in s[0:3], halves of one that holds two f16; r1=1,2,3,4 are those of a register of four.
exec=0xff runs eight lanes, mode=0x3f0 sets a mode register as a whole. What is printed is every register that was
written, and what has changed besides, each as the type that the program means.

A mode is by default what programs of the set expect; of gcn, as clang's kernels begin,
` + modeDefault("gcn:gfx8") + `.

Examples:
  heddle eval --isa gcn:gfx8 'v_add_f32 v0, v1, v2' v1=1.5 v2=2.25
  heddle eval --isa gcn:gfx8 'v_cmp_gt_i32 vcc, v0, v1; v_cndmask_b32 v2, v0, v1, vcc' v0=1,5,3 v1=4
  heddle eval --isa gcn:gfx8 'v_fma_f64 v[0:1], v[2:3], v[2:3], 1.0' 'v[2:3]=1.5'
  heddle eval --isa gcn:gfx8 'flat_store_dword v[0:1], v2' 'v[0:1]=0x1000' v2=7 --mem 0x1000=zero:64
  heddle eval --isa gcn:gfx8 'ds_read_b32 v0, v1' v1=4 m0=-1 --lds hex:0000803f00000040
  heddle eval --isa gcn:gfx8 'buffer_load_dword v0, v1, s[0:3], 0 offen' v1=4 \
    's[0:3]=(0x1000 0 64 0x27fac)' --mem 0x1000=hex:0000803f00000040
  heddle eval --isa gcn:gfx8 'v_add_f32 v0, v1, v2' v1=1.0 v2=1e-8 --mode round=rtp,denorm=f32:keep
  heddle eval --isa attila 'dp4 r0, r1, r2' r1=1.0,2,3,4 r2=1.0,1,1,1
  heddle eval --isa rogue --dialect seed 'fsqrt r0, r1' r1=2.25`
}

func (c *evalCmd) Run(a *app) error {
	if strings.TrimSpace(c.Program) == "" {
		return errors.New("eval: no instruction; give text or hex, then REGISTER=VALUE")
	}
	if err := a.fits("eval", formOf(c.JSON), ""); err != nil {
		return err
	}
	t, err := find(c.ISA, c.Stage, "")
	if err != nil {
		return err
	}
	if t, err = c.of(t); err != nil {
		return err
	}
	if c.Program, err = a.program(c.Program); err != nil {
		return err
	}
	p, errs := eval.Assemble(t, c.Program)
	if len(errs) > 0 {
		return wrong{refused{errs: errs}}
	}
	set := eval.Setup{Steps: c.Steps, Engine: c.Engine.engine(engines.Use{Stepped: true})}
	for _, text := range c.Assign {
		r, err := p.ParseAssign(text)
		if err != nil {
			return err
		}
		set.Regs = append(set.Regs, r)
	}
	if c.Mode != "" {
		mode, err := modeOf(t, c.Mode)
		if err != nil {
			return err
		}
		set.Mode = &mode
	}
	if set.Memory, err = c.memory(a); err != nil {
		return err
	}
	r, fault := p.Run(a.ctx, set)
	if r == nil {
		return fault
	}
	fault = c.hint(fault)
	if r.Outside {
		fault = wrong{fmt.Errorf("eval: the program goes to %#x, where it has no code: it is 0x0-%#x", r.PC, len(p.Code))}
	}
	if c.JSON {
		return c.json(a, r, fault)
	}
	a.printf("%s", r.Render(eval.Style{Lanes: c.Lanes, More: " (--lanes)", Paint: a.paint()}))
	for _, note := range r.Notes() {
		fmt.Fprintln(a.err, "heddle: note: "+note)
	}
	return fault
}

// hint adds the flag that provides the memory at which a fault occurred.
func (c *evalCmd) hint(fault error) error {
	var f *exec.Fault
	if !errors.As(fault, &f) || f.Kind != exec.FaultMemory || f.Mem == nil || f.Mem.Nearest != nil {
		return fault
	}
	switch f.Mem.Space {
	case "group":
		return hinted{fault, "the wave has no LDS (group memory): --lds zero:4096 gives it some"}
	case "global":
		return hinted{fault, fmt.Sprintf("the wave has no global memory: --mem %#x=zero:4096 gives it some", f.Addr&^0xfff)}
	}
	return fault
}

// program returns the contents of a file, if the argument names one, of standard input for -, else the argument.
func (a *app) program(arg string) (string, error) {
	if info, err := os.Stat(arg); err != nil || !info.Mode().IsRegular() {
		return a.text(arg)
	}
	data, err := a.read(arg)
	return string(data), err
}

// json prints the case on one line, as in case files. A run that faulted is no case: its result is printed with the
// fault.
func (c *evalCmd) json(a *app, r *eval.Result, fault error) error {
	state, err := r.Case(c.Name)
	if err != nil {
		return err
	}
	var v any = state
	if fault != nil {
		v = struct {
			Fault string     `json:"fault"`
			State *eval.Case `json:"state"`
		}{fault.Error(), state}
	}
	text, err := oneLine(v)
	if err != nil {
		return err
	}
	a.printf("%s\n", text)
	return fault
}

// memory returns the regions for --mem and --lds.
func (c *evalCmd) memory(a *app) (rs []eval.Region, err error) {
	for _, m := range c.Mem {
		at, what, ok := strings.Cut(m, "=")
		addr, bad := strconv.ParseUint(at, 0, 64)
		if !ok || bad != nil {
			return nil, fmt.Errorf("--mem %s: want ADDRESS=WHAT", m)
		}
		data, err := a.contents(what)
		if err != nil {
			return nil, fmt.Errorf("--mem %s: %w", m, err)
		}
		rs = append(rs, eval.Region{Space: ir.GlobalSpace, Name: "mem", Addr: addr, Data: data})
		if len(rs) > 1 {
			rs[len(rs)-1].Name = fmt.Sprintf("mem%d", len(rs))
		}
	}
	if c.LDS != "" {
		data, err := a.contents(c.LDS)
		if err != nil {
			return nil, fmt.Errorf("--lds %s: %w", c.LDS, err)
		}
		rs = append(rs, eval.Region{Space: ir.GroupSpace, Name: "lds", Data: data})
	}
	return rs, nil
}

// contents returns the bytes of zero:BYTES, hex:DIGITS, a file, or standard input.
func (a *app) contents(what string) ([]byte, error) {
	kind, rest, ok := strings.Cut(what, ":")
	switch {
	case ok && kind == "zero":
		n, err := strconv.ParseUint(rest, 0, 64)
		if err != nil || n == 0 || n > limit.BufferBytes {
			return nil, fmt.Errorf("%q is no number of bytes from 1 to %d", rest, limit.BufferBytes)
		}
		return make([]byte, n), nil
	case ok && kind == "hex":
		return unhex(rest)
	case ok && kind == "file":
		what = rest
	}
	if what == "-" {
		return a.read(what)
	}
	return within(a, "reading "+what, func() ([]byte, error) { return limit.ReadFile(what, limit.Buffer) })
}
