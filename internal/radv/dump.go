// Package radv runs compute shaders that RADV, Mesa's Vulkan driver for AMD GPUs, prints with RADV_DEBUG=shaders.
//
// A dump has for each shader its NIR, its ACO IR after register allocation, and its disassembly with the words of each
// instruction. Parse extracts the words of the code, the registers of the arguments, and which arguments exist. Kernel
// makes a launch of that: it lays out descriptor sets, push constants and the size of the grid as the driver does.
//
// Source: Mesa 22.3, src/amd/vulkan/radv_shader_args.c (arguments and their order), and dumps of that version.
package radv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Shader is a compute shader of a dump.
type Shader struct {
	Line      int       // in the dump, of the start of its disassembly, from 1
	Workgroup [3]uint32 // size of a workgroup in work-items
	Shared    uint32    // bytes of LDS
	Scratch   uint32    // in bytes per lane, from a dump with shaderstats; else 0
	Code      []byte
	Args      []Arg   // in scalar registers, in order
	GroupID   [3]bool // components of the workgroup's id that it reads
	GroupInfo bool    // it reads the number of a wave in its workgroup
	Grid      bool    // it reads the number of workgroups
	Push      []int   // words of push constants at constant offsets, in order
	Indexed   bool    // it reads other push constants, too
	Text      []Text  // names of the instructions in the dump; none if Mesa could not disassemble them
	High      uint32  // upper word of addresses of descriptor sets and push constants
}

// A Text is an instruction in the dump.
type Text struct {
	Line     int // of the dump
	Offset   int // in the code
	Mnemonic string
}

// An Arg is an argument in scalar registers.
type Arg struct{ SGPR, Count int }

const (
	stageMark  = "shader: MESA_SHADER_"
	codeMark   = "disasm:"
	maxShaders = 4096
)

// Parse finds the compute shaders of a dump. The error reports a dump without one, or an invalid line.
func Parse(dump []byte) (list []*Shader, err error) {
	p := parser{}
	for line := range bytes.Lines(dump) {
		p.line++
		if err := p.next(strings.TrimRight(string(line), "\r\n")); err != nil {
			return nil, err
		}
	}
	if p.code {
		if err := p.end(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("line %d: the dump ends within the disassembly of line %d: an empty line is missing", p.line, p.now.Line)
	}
	if len(p.list) == 0 {
		return nil, fmt.Errorf("no compute shader with a disassembly; RADV_DEBUG=shaders prints one as \"%sCOMPUTE\", \"%s\" and lines of text and words", stageMark, codeMark)
	}
	return p.list, nil
}

// A parser is the state of parsing a dump.
type parser struct {
	line    int
	list    []*Shader
	compute bool // whether the last mark names a compute shader
	code    bool // between codeMark and an empty line
	now     *Shader
	numbers map[string]uint32 // constants of NIR, by name
	group   string            // the NIR value with the workgroup's id
}

func (p *parser) next(line string) error {
	switch stage, is := strings.CutPrefix(line, stageMark); {
	case is:
		if p.code {
			if err := p.end(); err != nil {
				return err
			}
		}
		p.compute = stage == "COMPUTE"
		p.now, p.numbers, p.group = &Shader{}, map[string]uint32{}, ""
	case p.now == nil || !p.compute:
	case line == codeMark:
		p.code, p.now.Line = true, p.line
	case p.code && line == "":
		return p.end()
	case p.code:
		return p.words(line)
	default:
		return p.head(line)
	}
	return nil
}

// end finishes a shader at the end of its disassembly.
func (p *parser) end() error {
	if !p.code {
		return nil
	}
	p.code = false
	s := p.now
	switch {
	case len(s.Code) == 0:
		return fmt.Errorf("line %d: the disassembly has no words. Mesa prints those of gfx6 and gfx7 if it finds a program clrxdisasm, any one that ends without an error", s.Line)
	case len(s.Args) == 0:
		return fmt.Errorf("line %d: the shader has no p_startpgm with registers, which ACO prints after register allocation", s.Line)
	case s.Workgroup[0] == 0:
		return fmt.Errorf("line %d: the shader does not say its workgroup-size", s.Line)
	case len(p.list) == maxShaders:
		return fmt.Errorf("line %d: more than %d compute shaders", s.Line, maxShaders)
	}
	slices.Sort(s.Push)
	s.Push = slices.Compact(s.Push)
	p.list = append(p.list, s)
	return nil
}

// words reads the words of an instruction, after a semicolon.
func (p *parser) words(line string) error {
	at := strings.LastIndexByte(line, ';')
	if at < 0 {
		if strings.HasSuffix(line, ":") || strings.Contains(line, "not supported") { // a label, or Mesa cannot disassemble
			return nil
		}
		return fmt.Errorf("line %d: %.60q is no label, and has no words after a semicolon", p.line, line)
	}
	// Otherwise there is nothing, or what Mesa left in memory.
	if f := strings.Fields(line[:at]); len(f) > 0 && pattern().mnemonic.MatchString(f[0]) {
		p.now.Text = append(p.now.Text, Text{p.line, len(p.now.Code), f[0]})
	}
	for w := range strings.FieldsSeq(line[at+1:]) {
		n, err := strconv.ParseUint(w, 16, 32)
		if err != nil || len(w) != 8 {
			return fmt.Errorf("line %d: %.20q is no word of 8 hexadecimal digits", p.line, w)
		}
		p.now.Code = binary.LittleEndian.AppendUint32(p.now.Code, uint32(n))
	}
	return nil
}

// patterns match lines of NIR and ACO's IR. They are compiled when the first dump is read.
type patterns struct{ constant, push, packed, group, register, mnemonic *regexp.Regexp }

var pattern = sync.OnceValue(func() *patterns {
	return &patterns{
		constant: regexp.MustCompile(`(ssa_\d+) = load_const \((0x[0-9a-f]{8})\b`),
		push:     regexp.MustCompile(`\bvec(\d+) (\d+) .*intrinsic load_push_constant \((ssa_\d+)\) \(base=(\d+)`),
		packed:   regexp.MustCompile(`= pack_64_2x32_split ssa_\d+, (ssa_\d+)`),
		group:    regexp.MustCompile(`(ssa_\d+) = intrinsic load_workgroup_id `),
		mnemonic: regexp.MustCompile(`^[a-z]+_[a-z0-9_]+$`),
		register: regexp.MustCompile(`s(\d+): %\d+:s\[(\d+)(?:-(\d+))?\]`),
	}
})

// head reads a line of NIR or ACO's IR.
func (p *parser) head(line string) error {
	if v, is := strings.CutPrefix(line, "workgroup-size: "); is {
		return p.workgroup(v)
	}
	s := p.now
	for prefix, to := range map[string]*uint32{"shared-size: ": &s.Shared, "Scratch size: ": &s.Scratch} {
		if v, is := strings.CutPrefix(line, prefix); is {
			n, err := strconv.ParseUint(v, 10, 32)
			if err != nil {
				return fmt.Errorf("line %d: %.40q is no number of bytes", p.line, v)
			}
			if *to = uint32(n); to == &s.Scratch {
				*to /= 64 // per wave
			}
		}
	}
	if m := pattern().constant.FindStringSubmatch(line); m != nil {
		n, _ := strconv.ParseUint(m[2], 0, 32) // eight digits
		p.numbers[m[1]] = uint32(n)
	}
	if m := pattern().push.FindStringSubmatch(line); m != nil {
		p.pushed(m[1:])
	}
	if m := pattern().packed.FindStringSubmatch(line); m != nil && s.High == 0 {
		s.High = p.numbers[m[1]]
	}
	if m := pattern().group.FindStringSubmatch(line); m != nil {
		p.group = m[1]
	} else if p.group != "" {
		for axis, component := range [3]string{".x", ".y", ".z"} {
			s.GroupID[axis] = s.GroupID[axis] || reads(line, p.group+component)
		}
	}
	s.Grid = s.Grid || strings.Contains(line, "intrinsic load_num_workgroups ")
	s.GroupInfo = s.GroupInfo || strings.Contains(line, "intrinsic load_local_invocation_index ") || strings.Contains(line, "intrinsic load_subgroup_id ") ||
		strings.Contains(line, "intrinsic load_num_subgroups ")
	if strings.HasSuffix(line, "= p_startpgm") && strings.Contains(line, ":s[") {
		return p.start(line)
	}
	return nil
}

// reads reports whether a line contains a value as a whole word.
func reads(line, value string) bool {
	_, rest, ok := strings.Cut(line, value)
	return ok && (rest == "" || rest[0] < '0' || rest[0] > '9')
}

func (p *parser) workgroup(text string) error {
	for i, v := range strings.Split(text, ", ") {
		n, err := strconv.ParseUint(v, 10, 16)
		if err != nil || i > 2 || n == 0 {
			return fmt.Errorf("line %d: %.40q is no size of a workgroup", p.line, text)
		}
		p.now.Workgroup[i] = uint32(n)
	}
	return nil
}

// pushed records a load of push constants: lanes of a vector, bits, offset, base.
func (p *parser) pushed(m []string) {
	at, known := p.numbers[m[2]]
	lanes, err := strconv.Atoi(m[0])
	width, err2 := strconv.Atoi(m[1])
	base, err3 := strconv.Atoi(m[3])
	if !known || err != nil || err2 != nil || err3 != nil || width < 32 || lanes > 16 || at > 1<<12 || base > 1<<12 {
		p.now.Indexed = true
		return
	}
	for i := range lanes * width / 32 {
		p.now.Push = append(p.now.Push, (base+int(at))/4+i)
	}
}

// start reads the arguments of "s2: %41:s[0-1], s1: %42:s[2], v3: %49:v[0-2] = p_startpgm".
func (p *parser) start(line string) error {
	p.now.Args = nil
	for _, m := range pattern().register.FindAllStringSubmatch(line, -1) {
		count, err := strconv.Atoi(m[1])
		first, err2 := strconv.Atoi(m[2])
		if err != nil || err2 != nil || first > 101 || count > 16 {
			return fmt.Errorf("line %d: %s is no argument in scalar registers", p.line, m[0])
		}
		p.now.Args = append(p.now.Args, Arg{first, count})
	}
	return nil
}
