package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/contents"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/radv"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
)

const abiRADV = "radv"

// radv runs a compute shader from a RADV dump.
func (c *runCmd) radv(a *app, path string) error {
	if err := a.fits("run", 'a', path); err != nil {
		return err
	}
	dump, err := a.read(path)
	if err != nil {
		return err
	}
	list, err := radv.Parse(dump)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	s, err := c.shader(list)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	in, err := c.radvInputs(a, s)
	if err != nil {
		return err
	}
	t, err := find(c.ISA, "", "")
	if err != nil {
		return err
	}
	if err := ofDump(s, t); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	c.lintCode(path, &code{target: t, data: s.Code})
	for _, note := range gaps(in.Bindings) {
		fmt.Fprintf(a.err, "heddle: note: %s\n", note)
	}
	k, err := s.Kernel(*in)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	c.saveObject(k.Module.Object, &k, nil)
	h := &held{}
	for _, b := range k.Memory.Buffers() {
		if !radv.Driver(b.Name) {
			h.hold(b.Name, &b.Data, c.types[b.Name])
		}
	}
	return c.launched(a, ran{set: "gcn", Kernel: k.Name, Grid: k.Grid, Block: k.Block}, h, func() (*launch.Result, error) { return gcn.Launch(a.ctx, k, c.settings(a)) })
}

// shader returns the shader of a dump that --kernel selects by number, or the only one.
func (c *runCmd) shader(list []*radv.Shader) (*radv.Shader, error) {
	if c.Kernel == "" && len(list) == 1 {
		return list[0], nil
	}
	if n, err := strconv.Atoi(c.Kernel); err == nil && n >= 1 && n <= len(list) {
		return list[n-1], nil
	}
	var text []string
	for i, s := range list[:min(len(list), 20)] {
		text = append(text, fmt.Sprintf("%d: line %d, workgroups of %s, %s", i+1, s.Line, axes(s.Workgroup), spell.Count(len(s.Code), "byte")))
	}
	if n := len(list) - len(text); n > 0 {
		text = append(text, fmt.Sprintf("and %d more", n))
	}
	return nil, fmt.Errorf("--kernel NUMBER chooses one of %s:\n  %s", spell.Count(len(list), "compute shader"), strings.Join(text, "\n  "))
}

// radvInputs reads the flags of a launch.
func (c *runCmd) radvInputs(a *app, s *radv.Shader) (*radv.Inputs, error) {
	if c.ISA == "" {
		return nil, errors.New("run: --isa is missing: a dump does not say which GPU it is for; gcn:gfx6, gcn:gfx7 or gcn:gfx8")
	}
	t, err := find(c.ISA, "", "")
	switch {
	case err != nil:
		return nil, err
	case t.Set.Name != "gcn":
		return nil, fmt.Errorf("--isa %s: RADV compiles for gcn", c.ISA)
	case c.Block[0] != 0 && c.Block != dims(s.Workgroup):
		return nil, fmt.Errorf("--block %s: the shader has workgroups of %s", axes(c.Block), axes(s.Workgroup))
	case c.Grid[0] == 0:
		return nil, errors.New("run: --grid is needed: the work-items of a dispatch")
	}
	c.Block = dims(s.Workgroup)
	in := &radv.Inputs{Name: "shader", Variant: t.Variants[t.Variant].Name, Scratch: c.Scratch}
	if in.Groups, err = c.groups(); err != nil {
		return nil, err
	}
	for _, text := range c.Set {
		b, err := c.binding(a, in.Bindings, text)
		if err != nil {
			return nil, fmt.Errorf("--set %s: %w", text, err)
		}
		in.Bindings = append(in.Bindings, b)
	}
	if c.Push != "" {
		if in.Push, err = plainParts.read(c.Push); err != nil {
			return nil, fmt.Errorf("--push %s: %w", c.Push, err)
		}
	}
	return in, nil
}

// plainParts are only numbers and hexadecimal digits: addresses of buffers are not available here.
var plainParts = argParts{buffer: func(string) (uint64, bool) { return 0, false }}

// binding parses SET:BINDING=[NAME=]CONTENTS. The default name is set0_1, with a number for elements of an array after
// the first.
func (c *runCmd) binding(a *app, before []radv.Binding, text string) (b radv.Binding, err error) {
	const want = "want SET:BINDING=CONTENTS or SET:BINDING=NAME=CONTENTS"
	place, what, ok := strings.Cut(text, "=")
	set, index, ok2 := strings.Cut(place, ":")
	b.Set, err = strconv.Atoi(set)
	n, err2 := strconv.Atoi(index)
	if b.Index = n; !ok || !ok2 || err != nil || err2 != nil || b.Set < 0 || n < 0 {
		return b, errors.New(want)
	}
	b.Name = fmt.Sprintf("set%d_%d", b.Set, b.Index)
	if n := len(before) - len(slices.DeleteFunc(slices.Clone(before), func(o radv.Binding) bool { return o.Set == b.Set && o.Index == b.Index })); n > 0 {
		b.Name = fmt.Sprintf("%s_%d", b.Name, n)
	}
	if name, rest, named := strings.Cut(what, "="); named && !strings.Contains(name, ":") {
		b.Name, what = name, rest
	}
	if list, is := strings.CutPrefix(what, "parts:"); is {
		b.Data, err = plainParts.read(list)
		return b, err
	}
	if s, err := contents.Parse(what); err == nil && s.Unset {
		return b, fmt.Errorf("%s: not yet for buffers of a dump", what)
	}
	b.Data, err = c.bufferOf(a, b.Name, what)
	return b, err
}

// ofDump reports code that does not belong to the instruction set of --isa: it does not decode, or differs from the
// dump's text.
func ofDump(s *radv.Shader, t *isa.Target) error {
	wrong := disagrees(s, t)
	if wrong == "" {
		return nil
	}
	err := fmt.Errorf("--isa %s: the dump is of another GPU: %s", t, wrong)
	var agree []string
	for _, v := range t.Variants {
		if o, e := find(t.Set.Name+":"+v.Name, "", ""); e == nil && disagrees(s, o) == "" {
			agree = append(agree, "--isa "+o.String())
		}
	}
	if agree == nil {
		return err
	}
	return hinted{err, "its words and text agree with " + strings.Join(agree, " and ")}
}

// disagrees describes how code differs from the dump's text when decoded in an instruction set; "": it does not. Names
// differ between versions of LLVM and this table, so one in eight may differ.
func disagrees(s *radv.Shader, t *isa.Target) string {
	names := map[int]string{}
	for at := 0; at < len(s.Code); {
		var in isa.Inst
		if err := t.Decode(s.Code[at:], uint64(at), &in); err != nil {
			return err.Error()
		}
		names[at] = in.Def.Name
		at += int(in.Size)
		if in.Def.Name == "s_endpgm" && len(s.Text) == 0 {
			break // constants may follow
		}
	}
	first, other := "", 0
	for _, x := range s.Text {
		if got := names[x.Offset]; shortName(got) != shortName(x.Mnemonic) {
			if other++; first == "" {
				first = fmt.Sprintf("line %d has %s, and its words are %s", x.Line, x.Mnemonic, cmp.Or(got, "no instruction"))
			}
		}
	}
	if 8*other <= len(s.Text) {
		return ""
	}
	return fmt.Sprintf("%s; so of %d instructions of %d", first, other, len(s.Text))
}

// shortName returns a mnemonic without LLVM's suffix for the encoding.
func shortName(mnemonic string) string {
	for _, ending := range []string{"_e32", "_e64", "_sdwa", "_dpp"} {
		if short, is := strings.CutSuffix(mnemonic, ending); is {
			return short
		}
	}
	return mnemonic
}

// maxGaps limits the bindings of a set that are checked.
const maxGaps = 1 << 12

// gaps returns notes about missing bindings below the last of their set: descriptors are consecutive, so later ones are
// in the wrong place if the layout has the missing ones.
func gaps(list []radv.Binding) (notes []string) {
	given, last := map[[2]int]int{}, map[int]int{}
	for _, b := range list {
		given[[2]int{b.Set, b.Index}]++
		last[b.Set] = max(last[b.Set], b.Index)
	}
	for _, set := range slices.Sorted(maps.Keys(last)) {
		at := 0
		var lacks, places []string
		for i := range min(last[set], maxGaps) + 1 {
			name := fmt.Sprintf("%d:%d", set, i)
			if n := given[[2]int{set, i}]; n > 0 {
				places = append(places, fmt.Sprintf("%s at byte %d", name, at))
				at += 16 * n
			} else if lacks = append(lacks, name); len(lacks) > 8 {
				lacks = append(lacks[:8], "...")
			}
		}
		if lacks != nil {
			notes = append(notes, fmt.Sprintf("set %d: no --set gives %s, so the layout is taken to lack it: descriptors of %s", set, strings.Join(lacks, ", "), strings.Join(places, ", ")))
		}
	}
	return notes
}
