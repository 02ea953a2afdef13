package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/elem"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/radv"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// A savedRun is a run being saved to a folder as a manifest.
type savedRun struct {
	build  casefile.Build
	code   []byte
	launch casefile.Launch
	place  func(b *casefile.Buffer) // sets the address of a buffer; nil: manifests of the set do not have it
	consts []casefile.Buffer        // with their bytes in Init
}

// saves checks before the run that --save is possible: the folder is new or empty.
func (c *runCmd) saves() error {
	if c.Save == "" {
		return nil
	}
	return emptyFolder("--save", c.Save)
}

// emptyFolder checks that the folder of a flag is new or empty.
func emptyFolder(flag, name string) error {
	entries, err := os.ReadDir(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return unwritten{err}
	case len(entries) > 0:
		return hinted{fmt.Errorf("%s %s: the folder is not empty", flag, name), "give a folder that is new or empty"}
	}
	return nil
}

// saveProgram records a program without a descriptor.
func (c *runCmd) saveProgram(on *launch.Compute, k *launch.Kernel, t *isa.Target, code []byte) {
	if c.Save == "" {
		return
	}
	c.saved = &savedRun{build: casefile.Build{File: "code.bin", ISA: t.Name, Variant: t.Variants[t.Variant].Name, Address: k.Entry}, code: code}
	if c.bundles != nil { // with instructions without public encoding the text is the program
		if c.saved.build.File, c.saved.code = "code.s", c.text; c.Dialect != "" {
			c.saved.code = append([]byte(".dialect "+c.Dialect+"\n"), c.text...)
		}
	}
	l := &c.saved.launch
	l.SharedBytes, l.PrivateBytes, l.ABI = k.GroupBytes, k.PrivateBytes, k.ABI
	for i, o := range t.Arch.Options {
		if v := o.Values[t.Option(i)]; v != cmp.Or(o.Default, o.Values[0]) {
			if l.Options == nil {
				l.Options = map[string]string{}
			}
			l.Options[o.Name] = v
		}
	}
	if len(k.Args)%4 != 0 {
		l.Args = []casefile.LaunchArg{{Data: k.Args}}
	} else {
		for _, w := range k.Words() {
			l.Args = append(l.Args, casefile.LaunchArg{Type: "u32", Bits: uint64(w)})
		}
	}
	at := map[string]*launch.Buffer{}
	for _, b := range k.Buffers {
		at[b.Name] = b
		if b.Space.ID == ir.ConstSpace {
			c.saved.consts = append(c.saved.consts, casefile.Buffer{Name: b.Name, Init: string(b.Data), Space: on.SpaceOf(b)})
		}
	}
	c.saved.place = func(b *casefile.Buffer) { b.Address, b.Space = at[b.Name].Addr, on.SpaceOf(at[b.Name]) }
}

// saveObject records a kernel of a code object, or bare code in the form of one. args are those of the command line.
func (c *runCmd) saveObject(o *object.CodeObject, k *gcn.Kernel, args []casefile.LaunchArg) {
	if c.Save == "" {
		return
	}
	c.saved = &savedRun{build: casefile.Build{File: fileName(k.Name, 0) + ".hsaco", ISA: "gcn", Variant: o.Variant(), Target: o.Target, CodeObjectVersion: o.Version}, code: c.image}
	c.saveStart(k, args)
	if c.image == nil { // bare code
		d := &o.Kernels[0].Descriptor
		bare := &casefile.BareBuild{LDS: int(d.GroupSize), Scratch: int(d.PrivateSize)}
		if c.ABI == abiRADV {
			bare.Descriptor = &casefile.BareDescriptor{Rsrc1: d.Rsrc1, Rsrc2: d.Rsrc2, Properties: uint32(d.Properties)}
		}
		c.saved.build = casefile.Build{File: "code.bin", ISA: "gcn", Variant: o.Variant(), Address: o.Base, Bare: bare}
		c.saved.code = o.Image
	}
}

// saveStart records the initial state of a kernel of GCN. Arguments in memory, registers and contents of buffers may
// hold addresses, so buffers must keep their addresses.
func (c *runCmd) saveStart(k *gcn.Kernel, args []casefile.LaunchArg) {
	l := &c.saved.launch
	l.Args, l.Kernarg = args, k.Kernarg
	for _, r := range k.Registers {
		w := casefile.Words{List: len(r.Values) > 1}
		for _, v := range r.Values {
			w.V = append(w.V, uint64(v))
		}
		if l.Registers == nil {
			l.Registers = map[string]casefile.Words{}
		}
		l.Registers[r.Name] = w
	}
	if len(c.Buf) == 0 && k.Kernarg == nil && k.Registers == nil {
		return
	}
	at := map[string]uint64{}
	for _, b := range k.Memory.Buffers() {
		at[b.Name] = b.Addr
		if c.ABI == abiRADV && radv.Driver(b.Name) {
			c.saved.consts = append(c.saved.consts, casefile.Buffer{Name: b.Name, Init: string(b.Data), Address: b.Addr, ReadOnly: b.ReadOnly})
		}
	}
	c.saved.place = func(b *casefile.Buffer) { b.Address = at[b.Name] }
}

// launchArg returns an argument of a kernel in the form for manifests.
func launchArg(kind, value string) (a casefile.LaunchArg, err error) {
	switch kind {
	case "local":
		_, err = fmt.Sscan(value, &a.LocalBytes)
	case "hex":
		a.Data, err = unhex(value)
	default:
		a.Type = kind
		a.Bits, _, err = numberBits(kind, kind+":"+value)
	}
	return a, err
}

// keep writes the folder of --save: code, buffers before and after, and, after all of them, the manifest.
func (c *runCmd) keep(a *app, r *ran, h *held) error {
	if c.Save == "" {
		return nil
	}
	s := c.saved
	if s == nil {
		return fmt.Errorf("--save: %s cannot be saved as a manifest", c.Target)
	}
	if err := os.MkdirAll(c.Save, 0o777); err != nil {
		return unwritten{err}
	}
	put := func(name string, data []byte) error { return a.save(filepath.Join(c.Save, name), bytesOf(data)) }
	m := &casefile.Manifest{Format: casefile.ManifestFormatOf(s.build.ISA), Name: r.Kernel, Source: "heddle run", Variants: []casefile.Build{s.build},
		ExpectedFrom: "the run that heddle run --save recorded, on engine " + string(c.Engine)}
	l := &s.launch
	l.Kernel = r.Kernel
	for i := range 3 {
		l.Grid[i], l.Block[i] = int(r.Grid[i]), int(r.Block[i])
		if r.Grid[i] > 1 || i == 0 {
			l.WorkDim = i + 1
		}
	}
	m.Launches = []casefile.Launch{*l}
	err := put(s.build.File, s.code)
	for i := range h.bufs {
		b, e := c.saveBuffer(&h.bufs[i], i, put)
		m.Buffers, err = append(m.Buffers, b), errors.Join(err, e)
	}
	for i, b := range s.consts {
		data := []byte(b.Init)
		b.Bytes, b.Elem, b.Init = len(data), "uint8", fileName(b.Name, len(h.bufs)+i)+".in.bin"
		m.Buffers, err = append(m.Buffers, b), errors.Join(err, put(b.Init, data))
	}
	if err != nil {
		return err
	}
	text, err := m.JSON()
	if err != nil {
		return err
	}
	if _, err := casefile.ReadManifest(bytes.NewReader(text), filepath.Join(c.Save, "manifest.json")); err != nil {
		return fmt.Errorf("--save: a manifest cannot say this run: %w", err)
	}
	if err := put("manifest.json", text); err != nil {
		return err
	}
	if !c.JSON && !c.wants.toStdout() {
		a.say("saved in %s: heddle check %s\n", shown(c.Save), shown(c.Save))
	}
	return nil
}

// saveBuffer writes the bytes of a buffer. A buffer that the run has not changed is an input.
func (c *runCmd) saveBuffer(from *heldBuf, number int, put func(name string, data []byte) error) (b casefile.Buffer, err error) {
	b = casefile.Buffer{Name: from.name, Bytes: from.size, Elem: from.typ.NumPy(), Init: "zero"}
	if c.saved.place != nil {
		c.saved.place(&b)
	}
	if c.unset[from.name] {
		b.Init = "undef"
	}
	file := fileName(from.name, number)
	if !from.before.zero() {
		b.Init = file + ".in.bin"
		err = put(b.Init, from.before.bytes())
	}
	if from.changed() {
		b.Expect, b.Compare = file+".exp.bin", c.tolerance(from.typ)
		err = errors.Join(err, put(b.Expect, *from.data))
	}
	return b, err
}

// tolerance returns how a buffer of a type is compared.
func (c *runCmd) tolerance(t elem.Type) casefile.BufferCompare {
	if t.Kind != elem.Float || c.ULP == nil && c.Abs == nil {
		return casefile.BufferCompare{Mode: "exact"}
	}
	how := casefile.BufferCompare{Type: fmt.Sprintf("f%d", t.Bits), Mode: "ulp_or_abs", NaNAny: true, ZeroAny: true}
	if c.ULP != nil {
		how.ULP = int(*c.ULP)
	}
	if c.Abs != nil {
		how.Abs = *c.Abs
	}
	return how
}

// fileName returns the name for the files of a buffer.
func fileName(name string, number int) string {
	plain := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return -1
	}, name)
	if plain != name {
		return fmt.Sprintf("%s%d", plain, number)
	}
	return plain
}
