package valhall

import (
	"errors"
	"fmt"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/mem"
)

// Draws that command streams start, in v10 and later. Their registers have the contents of the words of a job.
// docs/reference/valhall.md 9.6.

// A streamWord is a range of registers with the contents of words of a job.
type streamWord struct {
	reg, n int
	name   string // Mesa's
	to     int    // word of the job
}

// A pick is the first of two registers, or another if a bit of the instruction is set; bit 0: there is no other.
type pick struct{ reg, bit, other int }

func (p pick) of(instruction uint64) int {
	if p.bit != 0 && instruction>>p.bit&1 != 0 {
		return p.other
	}
	return p.reg
}

// A streamStage is the set of registers that describe a program of a draw.
type streamStage struct {
	environment                       int // word of the job
	tables, uniform, program, storage pick
}

// A streamForm is the instruction that starts a draw and its registers, in some architectures.
type streamForm struct {
	since, until        int
	name                string
	opcode              uint64
	words               []streamWord
	stages              [numStages]*streamStage // without a varying program the position program writes varyings, too
	indices, indexBytes int
	stride              int // of records of varyings
	viewport            int // size in pixels, besides the scissor; 0: none
}

// sharedWords are the words that all forms share.
var sharedWords = []streamWord{{33, 1, "INDEX_COUNT", 11}, {34, 1, "INSTANCE_COUNT", 12}, {36, 1, "VERTEX_OFFSET", 9}, {37, 1, "INSTANCE_OFFSET", 10},
	{42, 2, "SCISSOR_BOX", 26}, {52, 2, "ZSD", 42}, {57, 1, "DCD0", 32}, {58, 1, "DCD1", 33}}

var streamForms = [...]streamForm{
	{since: 10, until: 11, name: "RUN_IDVS", opcode: 6,
		words: []streamWord{{44, 1, "LOW_DEPTH_CLAMP", 38}, {45, 1, "HIGH_DEPTH_CLAMP", 39}, {50, 2, "BLEND_DESC", 44}},
		stages: [numStages]*streamStage{
			{64, pick{reg: 0}, pick{reg: 8}, pick{reg: 16}, pick{reg: 24}},
			{80, pick{0, 35, 2}, pick{8, 36, 10}, pick{reg: 18}, pick{24, 37, 26}},
			{48, pick{0, 38, 4}, pick{reg: 12}, pick{reg: 20}, pick{24, 39, 28}}},
		indices: 54, indexBytes: 39, stride: 48},
	{since: 12, until: 14, name: "RUN_IDVS2", opcode: 12,
		words: []streamWord{{46, 1, "VIEWPORT_LOW", 38}, {47, 1, "VIEWPORT_LOW", 39}, {54, 2, "BLEND_DESC", 44}},
		stages: [numStages]*streamStage{
			stagePosition: {64, pick{reg: 0}, pick{reg: 8}, pick{reg: 16}, pick{reg: 24}},
			stageFragment: {48, pick{reg: 2}, pick{reg: 10}, pick{reg: 18}, pick{reg: 26}}},
		indices: 48, indexBytes: 50, stride: 51, viewport: 44},
}

// Registers of all forms.
const (
	streamAttributes = 32
	streamFirstIndex = 35
	streamTiler      = 40
	streamFlags      = 56
	streamRates      = 61 // from v11 on
)

// Bits of the instruction.
const (
	streamMalloc = 33
	streamDrawID = 34
	streamMode   = 35 // 2 bits, of RUN_IDVS2: when varyings are written, which no program can observe
	streamIDReg  = 40 // 8 bits
	streamOpcode = 56 // 8 bits
)

// A siteError is an error in what a register points at.
type siteError struct {
	site string
	err  error
}

func (e *siteError) Error() string { return e.site + ": " + e.err.Error() }
func (e *siteError) Unwrap() error { return e.err }

// pair returns the name of two registers as one.
func pair(reg int) string { return fmt.Sprintf("d%d", reg) }

// A stream is the state of a command stream when it starts a draw.
type stream struct {
	*Stream
	form *streamForm
	arch int
	lack error // of the first register that was read and is missing
}

// get returns a register.
func (s *stream) get(reg int, what string) uint32 {
	v, ok := s.Registers[reg]
	if !ok && s.lack == nil {
		s.lack = fmt.Errorf("no r%d, %s", reg, what)
	}
	return v
}

func (s *stream) wide(reg int, what string) uint64 {
	return uint64(s.get(reg, what)) | uint64(s.get(reg+1, what))<<32
}

// job reads the draw, by way of the equivalent words of a job.
func (s *stream) job(space *mem.Space) (*drawJob, error) {
	d := make(descriptor, jobBytes/4)
	for _, list := range [...][]streamWord{sharedWords, s.form.words} {
		for _, w := range list {
			for i := range w.n {
				d[w.to+i] = s.get(w.reg+i, w.name)
			}
		}
	}
	flags := s.get(streamFlags, "TILER_FLAGS") | uint32(s.Instruction)
	d[8] = flags
	j := &drawJob{arch: s.arch, sites: map[string]string{siteDepth: pair(52), siteIndices: pair(s.form.indices)}}
	for i, st := range s.form.stages {
		if st == nil || i == stageVarying && !d.bit(8, 18) {
			continue
		}
		j.sites[stageNames[i]] = pair(st.program.of(s.Instruction))
		s.environment(d[st.environment:], st, stageNames[i])
	}
	if d.bit(8, 18) {
		d[13] = s.get(s.form.stride, "VARY_SIZE") << 16
	}
	if d.field(8, 8, 3) != 0 {
		if err := s.indices(d); err != nil {
			return nil, err
		}
	}
	if s.form.stages[stageVarying] == nil {
		if j.outputs = outPosition; d.bit(8, 18) {
			j.outputs |= outVaryings
		}
	}
	if s.form.viewport != 0 {
		within(d[26:28], [2]uint32{s.get(s.form.viewport, "VIEWPORT_HIGH"), s.get(s.form.viewport+1, "VIEWPORT_HIGH")})
	}
	tiler := s.wide(streamTiler, "TILER_CTX")
	if s.Instruction>>streamDrawID&1 != 0 {
		id := s.get(int(s.Instruction>>streamIDReg&0xff), "the draw's number")
		j.drawID = &id
	}
	if s.lack != nil {
		return nil, s.lack
	}
	if err := s.refuse(d); err != nil {
		return nil, err
	}
	t, err := readWords(space, "tiler context", tiler, 4)
	if err != nil {
		return nil, &siteError{pair(streamTiler), err}
	}
	if err := j.read(space, d); err != nil {
		return nil, err
	}
	if t.bit(2, 18) {
		j.firstProvokes()
	}
	return j, nil
}

// within limits a scissor to a viewport: two words each, the minimum and the maximum x and y.
func within(scissor descriptor, viewport [2]uint32) {
	v := descriptor(viewport[:])
	for i, pick := range [...]func(a, b uint32) uint32{func(a, b uint32) uint32 { return max(a, b) }, func(a, b uint32) uint32 { return min(a, b) }} {
		scissor[i] = pick(scissor.field(i, 0, 16), v.field(i, 0, 16)) | pick(scissor.field(i, 16, 16), v.field(i, 16, 16))<<16
	}
}

// environment fills in the initial state of a program.
func (s *stream) environment(d descriptor, st *streamStage, name string) {
	put := func(at int, v uint64) { d[at], d[at+1] = uint32(v), uint32(v>>32) }
	uniform := s.wide(st.uniform.of(s.Instruction), "FAU of the "+name)
	d[0], d[1] = s.get(streamAttributes, "GLOBAL_ATTRIBUTE_OFFSET"), uint32(uniform>>56)
	put(8, s.wide(st.tables.of(s.Instruction), "SRT of the "+name))
	put(10, s.wide(st.program.of(s.Instruction), "SPD of the "+name))
	put(12, s.wide(st.storage.of(s.Instruction), "TSD of the "+name))
	put(14, uniform&(1<<56-1))
}

// indices fills in the location of the first index.
func (s *stream) indices(d descriptor) error {
	first, bytes := s.get(streamFirstIndex, "INDEX_OFFSET"), s.get(s.form.indexBytes, "INDEX_BUFFER_SIZE")
	at := s.wide(s.form.indices, "INDEX_BUFFER")
	size := indexBytes(d.field(8, 8, 3))
	if end := (uint64(first) + uint64(d[11])) * size; end > uint64(bytes) && s.lack == nil {
		return fmt.Errorf("r%d: an index buffer of %d bytes, and the draw reads to byte %d", s.form.indexBytes, bytes, end)
	}
	at += uint64(first) * size
	d[30], d[31] = uint32(at), uint32(at>>32)
	return nil
}

// refuse rejects unsupported state that jobs do not have.
func (s *stream) refuse(d descriptor) error {
	switch {
	case d.field(8, 22, 2) == 2:
		return fmt.Errorf("r%d: records of positions in the extended format: not built", streamFlags)
	case d.field(8, 24, 8) != 0:
		return fmt.Errorf("r%d: several views, %#x: not built", streamFlags, d.field(8, 24, 8))
	case s.arch >= 11 && d.field(32, 24, 2) != 0:
		return errors.New("r57: conservative rasterisation, which is not built")
	case s.arch >= 11 && s.Registers[streamRates]&0x3ff != 0:
		return fmt.Errorf("r%d: shading rates, which are not built", streamRates)
	}
	return nil
}

// firstProvokes converts strips and fans to a list of triangles, with the provoking vertex first in each.
func (j *drawJob) firstProvokes() {
	n := j.count
	at := func(i int) uint32 {
		if len(j.indices) > 0 {
			return j.indices[i]
		}
		return uint32(i)
	}
	var list []uint32
	for i := 0; i+2 < n; i++ {
		switch {
		case j.primitive == draw.Fan:
			list = append(list, at(i+1), at(i+2), at(0))
		case j.primitive == draw.Strip && i%2 == 1:
			list = append(list, at(i), at(i+2), at(i+1))
		case j.primitive == draw.Strip:
			list = append(list, at(i), at(i+1), at(i+2))
		}
	}
	if j.primitive != draw.Triangles {
		j.primitive, j.indices, j.count = draw.Triangles, list, len(list)
	}
	j.flat = 0
}

// drawJob reads the draw that the scene names, for an architecture.
func (x scene) drawJob(space *mem.Space, arch int) (*drawJob, error) {
	if x.s.Stream == nil {
		if arch > lastJobs {
			return nil, x.s.fail("draw_job", fmt.Sprintf("a job, which v%d does not have: its draws are command streams, draw_csf", arch))
		}
		return readJob(space, x.s.Job)
	}
	const key = "draw_csf"
	if arch <= lastJobs {
		return nil, x.s.fail(key, fmt.Sprintf("a command stream, which v%d does not have: its draws are jobs, draw_job", arch))
	}
	s := &stream{Stream: x.s.Stream, arch: arch}
	for i := range streamForms {
		if f := &streamForms[i]; f.since <= arch && arch <= f.until {
			s.form = f
		}
	}
	if s.form == nil {
		return nil, x.s.fail(key, fmt.Sprintf("draws of v%d are not built", arch))
	}
	switch {
	case s.Instruction>>streamOpcode != s.form.opcode:
		return nil, x.s.fail(key+".instruction", fmt.Sprintf("opcode %d, want %d: v%d draws with %s", s.Instruction>>streamOpcode, s.form.opcode, arch, s.form.name))
	case s.form.stages[stageVarying] == nil && s.Instruction>>streamMode&3 > 1:
		return nil, x.s.fail(key+".instruction", fmt.Sprintf("shading mode %d, want 0 or 1: early, deferred", s.Instruction>>streamMode&3))
	case s.Instruction>>streamMalloc&1 == 0:
		return nil, x.s.fail(key+".instruction", s.form.name+" that allocates no records of vertices, bit 33: not built")
	}
	j, err := s.job(space)
	var at *siteError
	switch {
	case errors.As(err, &at):
		return nil, x.s.fail(key+".registers."+at.site, at.err.Error())
	case err != nil:
		return nil, x.s.fail(key+".registers", err.Error())
	}
	return j, nil
}

// lastJobs is the last architecture with jobs.
const lastJobs = 9
