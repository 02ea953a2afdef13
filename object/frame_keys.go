package object

import (
	"fmt"
	"strconv"
	"strings"
)

var frameKeys = keyTable[Frame]{rows: func() keys[Frame] {
	return keys[Frame]{
		"name":    asString(func(f *Frame) *string { return &f.Name }),
		"isa":     asString(func(f *Frame) *string { return &f.ISA }),
		"variant": asString(func(f *Frame) *string { return &f.Variant }),
		"tool":    asString(func(f *Frame) *string { return &f.Tool }),
		"source":  asString(func(f *Frame) *string { return &f.Source }),
		"format":  asString(func(f *Frame) *string { return &f.Format }),
		"image": func(f *Frame, v []byte) error {
			f.Image = &FrameImage{}
			return readFrameImage(f.Image, v)
		},
		"programs": func(f *Frame, v []byte) error {
			return eachElement(v, func(i int, v []byte) error {
				if i >= maxManyItems {
					return badValue("more than %d programs", maxManyItems)
				}
				f.Programs = append(f.Programs, FrameProgram{})
				return readObject(&f.Programs[i], v, &frameProgramKeys, nil)
			})
		},
		"runs": func(f *Frame, v []byte) error {
			return eachElement(v, func(i int, v []byte) error {
				if i >= maxFrameRuns {
					return badValue("more than %d runs", maxFrameRuns)
				}
				f.Runs = append(f.Runs, FrameRun{Program: -1})
				return readObject(&f.Runs[i], v, &frameRunKeys, nil)
			})
		},
	}
}}

// A ruledImage is an image with the rule that the file gives.
type ruledImage struct {
	FrameImage
	rule string
}

var frameImageKeys = keyTable[ruledImage]{rows: func() keys[ruledImage] {
	return keys[ruledImage]{
		"file":   func(m *ruledImage, v []byte) (err error) { m.File, err = localFile(v); return err },
		"width":  asInt(1, maxFrameImage, func(m *ruledImage) *int { return &m.Width }),
		"height": asInt(1, maxFrameImage, func(m *ruledImage) *int { return &m.Height }),
		"rule":   asString(func(m *ruledImage) *string { return &m.rule }),
	}
}}

// readFrameImage reads an image, whose rule must be the supported one.
func readFrameImage(to *FrameImage, v []byte) error {
	var m ruledImage
	if err := readObject(&m, v, &frameImageKeys, nil); err != nil {
		return err
	}
	switch want := fmt.Sprintf(frameRule, m.Height-1); {
	case m.File == "" || m.Width == 0 || m.Height == 0:
		return badValue("want file, width and height")
	case m.rule != want:
		return under("rule", badValue("%q is none that is known: %q", clip(m.rule), want))
	}
	*to = m.FrameImage
	return nil
}

var frameProgramKeys = keyTable[FrameProgram]{rows: func() keys[FrameProgram] {
	return keys[FrameProgram]{
		"stage": func(p *FrameProgram, v []byte) (err error) {
			p.Stage, err = oneOf(v, "vertex", "fragment")
			return err
		},
		"code": func(p *FrameProgram, v []byte) (err error) {
			if p.Code, err = readBytes(v); err == nil && len(p.Code) > maxFrameCode {
				err = badValue("%d bytes, at most %d", len(p.Code), maxFrameCode)
			}
			return err
		},
		"asm":     asStrings(func(p *FrameProgram) *[]string { return &p.Asm }),
		"uniform": asWords(func(p *FrameProgram) *map[string]Words { return &p.Uniform }),
	}
}}

var frameRunKeys = keyTable[FrameRun]{rows: func() keys[FrameRun] {
	return keys[FrameRun]{
		"p":       asInt(0, maxManyItems, func(r *FrameRun) *int { return &r.Program }),
		"in":      asVectors(func(r *FrameRun) *[]Vectors { return &r.In }),
		"out":     asVectors(func(r *FrameRun) *[]Vectors { return &r.Out }),
		"kill":    asFlags(func(r *FrameRun) *[]bool { return &r.Kill }),
		"covered": asFlags(func(r *FrameRun) *[]bool { return &r.Covered }),
		"tex": func(r *FrameRun, v []byte) error {
			return eachElement(v, func(i int, v []byte) error {
				if i >= maxFrameTex {
					return badValue("more than %d texture instructions", maxFrameTex)
				}
				r.Tex = append(r.Tex, nil)
				return eachLane(v, func(v []byte) error {
					x, err := readVector(v)
					r.Tex[i] = append(r.Tex[i], x)
					return err
				})
			})
		},
	}
}}

// eachLane is eachElement for lists of one value per lane.
func eachLane(v []byte, f func(v []byte) error) error {
	return eachElement(v, func(i int, v []byte) error {
		if i >= maxFrameLanes {
			return badValue("more than %d lanes", maxFrameLanes)
		}
		return f(v)
	})
}

func asVectors(at func(*FrameRun) *[]Vectors) func(*FrameRun, []byte) error {
	return func(r *FrameRun, v []byte) error {
		return eachLane(v, func(v []byte) error {
			var regs Vectors // a lane without registers takes no memory, because there may be many
			err := eachMember(v, func(key string, v []byte) (err error) {
				if regs == nil {
					regs = Vectors{}
				}
				regs[key], err = readVector(v)
				return err
			})
			*at(r) = append(*at(r), regs)
			return err
		})
	}
}

func asFlags(at func(*FrameRun) *[]bool) func(*FrameRun, []byte) error {
	return func(r *FrameRun, v []byte) error {
		return eachLane(v, func(v []byte) error {
			n, err := jsonInt(v, 0, 1)
			*at(r) = append(*at(r), n == 1)
			return err
		})
	}
}

// readVector reads four words of 32 bits in one string: x y z w.
func readVector(v []byte) (x [4]uint32, err error) {
	s, err := jsonString(v)
	if err != nil {
		return x, err
	}
	words := strings.Fields(s)
	if len(words) != 4 {
		return x, want("four hexadecimal words in a string", v)
	}
	for i, w := range words {
		n, err := strconv.ParseUint(w, 16, 32)
		if err != nil {
			return x, want("four hexadecimal words in a string", v)
		}
		x[i] = uint32(n)
	}
	return x, nil
}

// check rejects a frame that lacks a required key, or whose runs do not match its programs.
func (f *Frame) check() error {
	switch {
	case f.Name == "":
		return badValue("no name")
	case f.ISA == "":
		return badValue("no isa")
	case len(f.Programs) == 0:
		return under("programs", badValue("none"))
	case len(f.Runs) == 0:
		return under("runs", badValue("none"))
	}
	for i := range f.Programs {
		p := &f.Programs[i]
		err := f.checkProgram(p)
		if err != nil {
			return under("programs", under(fmt.Sprintf("[%d]", i), err))
		}
	}
	for i := range f.Runs {
		if err := f.checkRun(&f.Runs[i]); err != nil {
			return under("runs", under(fmt.Sprintf("[%d]", i), err))
		}
	}
	return nil
}

func (f *Frame) checkProgram(p *FrameProgram) error {
	switch {
	case p.Stage == "":
		return badValue("no stage")
	case len(p.Code) == 0:
		return badValue("no code")
	}
	for name, w := range p.Uniform {
		if w.List {
			return under("uniform", under(name, badValue("a list, want one word")))
		}
	}
	return nil
}

// checkRun: vertices are single, fragments are quads with flags; a texture instruction has a result for every lane.
func (f *Frame) checkRun(r *FrameRun) error {
	if r.Program < 0 || r.Program >= len(f.Programs) {
		return under("p", badValue("there is no program %d; there are %d", r.Program, len(f.Programs)))
	}
	lanes, flags := 1, 0
	if f.Programs[r.Program].Stage == "fragment" {
		lanes, flags = 4, 4
	}
	for _, part := range []struct {
		key       string
		got, want int
	}{{"in", len(r.In), lanes}, {"out", len(r.Out), lanes}, {"kill", len(r.Kill), flags}, {"covered", len(r.Covered), flags}} {
		if part.got != part.want {
			return under(part.key, badValue("%d lanes, want %d", part.got, part.want))
		}
	}
	for i := range r.Tex {
		if len(r.Tex[i]) != lanes {
			return under("tex", under(fmt.Sprintf("[%d]", i), badValue("%d lanes, want %d", len(r.Tex[i]), lanes)))
		}
	}
	return nil
}
