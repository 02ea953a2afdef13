package valhall

import (
	"fmt"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/mem"
)

// Draw jobs. docs/reference/valhall.md 9.5.

// Offsets in a job, in bytes.
const (
	jobHeader   = 0
	jobDraw     = 128
	jobPosition = 256
	jobVarying  = 320
	jobBytes    = 384

	drawFragment = 64 // in the draw descriptor, as jobDraw
)

// malloc is the type of jobs that allocate the records of vertices themselves.
const malloc = 11

// A drawJob is a draw as memory describes it.
type drawJob struct {
	primitive draw.Primitive
	indices   []uint32
	count     int // vertices, without indices
	instances int
	base      uint32 // added to vertex numbers

	stride        int // bytes of the record of attributes
	secondary     bool
	noNear, noFar bool
	scissor       [4]int // minimum x, y, maximum x, y
	draw          descriptor
	near, far     float32
	depth         descriptor
	blends        []descriptor
	position      *environment
	varying       *environment // nil: no varyings are passed
	fragment      *environment
	outputs       uint32  // outputs of the position program, as shader_output; 0: the position alone, and no register tells the program so
	flat          int     // corner of a triangle that provides flat varyings
	drawID        *uint32 // nil: vertices do not get it

	arch  int
	sites map[string]string // of a command stream: the registers that point at each part
}

// Bits of shader_output. docs/reference/valhall.md 2.
const (
	outPosition = 1 << 0
	outVaryings = 1 << 2
)

// passes reports whether vertices pass varyings to fragments.
func (j *drawJob) passes() bool { return j.varying != nil || j.outputs&outVaryings != 0 }

// Parts of draws, besides stageNames.
const (
	siteDepth   = "depth and stencil"
	siteIndices = "indices"
)

// at returns an error of a part that the draw points at.
func (j *drawJob) at(part string, err error) error {
	if err == nil || j.sites[part] == "" {
		return err
	}
	return &siteError{j.sites[part], err}
}

// readJob reads a job and what it points at.
func readJob(s *mem.Space, addr uint64) (*drawJob, error) {
	d, err := readWords(s, "draw job", addr, jobBytes/4)
	if err != nil {
		return nil, err
	}
	if kind := d.field(4, 1, 7); kind != malloc {
		return nil, fmt.Errorf("valhall: job at %#x has type %d: only %d, malloc vertex, is built", addr, kind, malloc)
	}
	j := &drawJob{arch: lastJobs}
	return j, j.read(s, d)
}

// read reads the words of a job and what they point at.
func (j *drawJob) read(s *mem.Space, d descriptor) error {
	j.instances, j.base, j.secondary, j.stride, j.flat = int(d[12]), d[9], d.bit(8, 18), int(d.field(13, 16, 16)), 2
	j.noNear, j.noFar, j.draw = !d.bit(8, 16), !d.bit(8, 17), d[jobDraw/4:jobDraw/4+32]
	j.scissor = [4]int{int(d.field(26, 0, 16)), int(d.field(26, 16, 16)), int(d.field(27, 0, 16)), int(d.field(27, 16, 16))}
	for _, step := range []func(*mem.Space, descriptor) error{j.readPrimitive, j.readState, j.readPrograms} {
		if err := step(s, d); err != nil {
			return err
		}
	}
	return nil
}

// drawMode returns a draw mode by its code; not ok: it is unsupported.
func drawMode(code uint32) (p draw.Primitive, ok bool) {
	switch code {
	case 8:
		return draw.Triangles, true
	case 10:
		return draw.Strip, true
	case 12:
		return draw.Fan, true
	}
	return 0, false
}

// Limits of a job.
const (
	maxIndices   = 1 << 18
	maxInstances = 1 << 18
)

func (j *drawJob) readPrimitive(s *mem.Space, d descriptor) error {
	mode, ok := drawMode(d.field(8, 0, 8))
	count := d[11]
	switch {
	case !ok:
		return fmt.Errorf("valhall: draw mode %d: only triangles, strips and fans, 8, 10 and 12, are built", d.field(8, 0, 8))
	case d.bit(8, 19):
		return fmt.Errorf("valhall: primitive restart, which is not built")
	case d.field(8, 11, 2) != 0 || d.bit(8, 20) || d.bit(8, 21):
		return fmt.Errorf("valhall: primitives with point sizes, layers or scissors of their own: not built")
	case count > maxIndices || j.instances < 0 || j.instances > maxInstances:
		return fmt.Errorf("valhall: a draw of %d indices and %d instances, at most %d and %d", count, j.instances, maxIndices, maxInstances)
	case d[10] != 0:
		return fmt.Errorf("valhall: a draw from instance %d on, which is not built", d[10])
	}
	j.primitive, j.count = mode, int(count)
	return j.at(siteIndices, j.readIndices(s, d.field(8, 8, 3), d.pair(30)))
}

// indexBytes returns the size of an index of a type; 0: there are no indices.
func indexBytes(kind uint32) uint64 { return [...]uint64{0, 1, 2, 4, 0, 0, 0, 0}[kind&7] }

// readIndices reads the indices; if there are none, vertices are numbered from 0.
func (j *drawJob) readIndices(s *mem.Space, kind uint32, addr uint64) error {
	size := int(indexBytes(kind))
	if kind > 3 {
		return fmt.Errorf("valhall: index type %d, which does not exist", kind)
	}
	if size == 0 || j.count == 0 {
		return nil
	}
	var c mem.Cursor
	b, f := s.At(&c, addr, uint64(size*j.count), mem.Read)
	if f != nil {
		return fmt.Errorf("valhall: indices: %w", f)
	}
	for i := range j.count {
		x := uint32(0)
		for k := range size {
			x |= uint32(b[i*size+k]) << (8 * k)
		}
		j.indices = append(j.indices, x)
	}
	return nil
}

// unbuilt are bits of the draw's flags that request unsupported features.
var unbuilt = []struct {
	at   int
	what string
}{
	{11, "programs that run for each sample"}, {19, "several samples a pixel"}, {21, "alpha to coverage"}, {22, "alpha to coverage"},
}

func (j *drawJob) readState(s *mem.Space, _ descriptor) (err error) {
	for _, u := range unbuilt {
		if j.draw.bit(0, u.at) {
			return fmt.Errorf("valhall: a draw with %s, which is not built", u.what)
		}
	}
	j.near, j.far = j.draw.float(6), j.draw.float(7)
	if j.depth, err = readDescriptor(s, typeDepth, j.draw.pair(10)); err != nil {
		return j.at(siteDepth, err)
	}
	switch {
	case j.depth.bit(0, 31):
		return fmt.Errorf("valhall: a stencil test, which is not built")
	case j.depth.bit(4, 28):
		return fmt.Errorf("valhall: a depth bias, which is not built")
	}
	n, at := j.draw.field(12, 0, 4), j.draw.pair(12)&^15
	for i := range n {
		b, err := readWords(s, "blend descriptor", at+16*uint64(i), 4)
		if err != nil {
			return err
		}
		j.blends = append(j.blends, b)
	}
	return nil
}

func (j *drawJob) readPrograms(s *mem.Space, d descriptor) (err error) {
	for _, p := range [...]struct {
		to    **environment
		stage int
		words descriptor
		has   bool
	}{{&j.position, stagePosition, d[jobPosition/4:], true}, {&j.varying, stageVarying, d[jobVarying/4:], j.secondary && j.outputs == 0},
		{&j.fragment, stageFragment, j.draw[drawFragment/4:], true}} {
		if !p.has {
			continue
		}
		name := stageNames[p.stage]
		if *p.to, err = readEnvironment(s, p.words); err != nil {
			return j.at(name, fmt.Errorf("%s: %w", name, err))
		}
	}
	return nil
}

// An environment is a program and the initial state of its threads.
type environment struct {
	resources uint64 // pointer to tables, with their number
	preload   uint32 // bit i: register 48+i
	flush     bool   // of subnormals
	binary    uint64
	code      []byte
	fau       []uint32
	storage   descriptor // of threads and workgroups; nil: none
}

// maxFAU is the number of uniform words.
const maxFAU = 256

func readEnvironment(s *mem.Space, d descriptor) (*environment, error) {
	p, err := readDescriptor(s, typeShader, d.pair(10))
	if err != nil {
		return nil, err
	}
	e := &environment{resources: d.pair(8), preload: p.field(1, 0, 16), flush: p.field(0, 17, 2) != 0, binary: p.pair(2)}
	if d[0] != 0 {
		return nil, fmt.Errorf("valhall: attributes from %#x on, which is not built", d[0])
	}
	if p.bit(0, 16) || p.bit(0, 19) {
		return nil, fmt.Errorf("valhall: a program that suppresses NaN or infinity, which is not built")
	}
	if e.code, err = readCode(s, e.binary); err != nil {
		return nil, err
	}
	if n := 2 * int(d.field(1, 0, 8)); n > maxFAU {
		return nil, fmt.Errorf("valhall: %d uniform words, at most %d", n, maxFAU)
	} else if n > 0 {
		if e.fau, err = readWords(s, "uniform words", d.pair(14), n); err != nil {
			return nil, err
		}
	}
	if at := d.pair(12); at != 0 {
		if e.storage, err = readWords(s, "local storage descriptor", at, 8); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// maxCode is the maximum size of a program in bytes.
const maxCode = 1 << 20

// readCode reads the words of a program: up to a word of zeros, which occurs in no program, or to the end of the
// segment.
func readCode(s *mem.Space, addr uint64) ([]byte, error) {
	g, ok := s.Find(addr)
	if !ok || addr%8 != 0 {
		return nil, fmt.Errorf("valhall: code at %#x, where there is no memory, or not at a multiple of 8", addr)
	}
	code := g.Data[addr-g.Base:]
	for n := 0; ; n += 8 {
		switch {
		case n > maxCode:
			return nil, fmt.Errorf("valhall: code at %#x does not end within %d bytes", addr, maxCode)
		case len(code) < n+8 || code[n]|code[n+1]|code[n+2]|code[n+3]|code[n+4]|code[n+5]|code[n+6]|code[n+7] == 0:
			if n == 0 {
				return nil, fmt.Errorf("valhall: no code at %#x", addr)
			}
			return code[:n:n], nil
		}
	}
}
