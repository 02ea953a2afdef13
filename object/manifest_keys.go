package object

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/spell"
)

var manifestKeys = keyTable[Manifest]{rows: func() keys[Manifest] {
	return keys[Manifest]{
		"format": func(m *Manifest, v []byte) (err error) {
			m.Format, err = oneOf(v, ManifestFormat, ValhallManifestFormat, RogueManifestFormat, TeslaManifestFormat)
			return err
		},
		"name":          asString(func(m *Manifest) *string { return &m.Name }),
		"source":        asString(func(m *Manifest) *string { return &m.Source }),
		"build_options": asStrings(func(m *Manifest) *[]string { return &m.BuildOptions }),
		"variants":      asList(func(m *Manifest) *[]Build { return &m.Variants }, &buildKeys),
		"launches":      asList(func(m *Manifest) *[]Launch { return &m.Launches }, &dispatchKeys),
		"pictures":      asList(func(m *Manifest) *[]Picture { return &m.Pictures }, &pictureKeys),
		"expected_from": asString(func(m *Manifest) *string { return &m.ExpectedFrom }),
		"buffers": func(m *Manifest, v []byte) error {
			return eachMember(v, func(name string, v []byte) error {
				if len(m.Buffers) == maxManyItems {
					return badValue("more than %d buffers", maxManyItems)
				}
				b := Buffer{Name: name}
				err := readObject(&b, v, &bufferKeys, nil)
				m.Buffers = append(m.Buffers, b)
				return err
			})
		},
	}
}}

var buildKeys = keyTable[Build]{rows: func() keys[Build] {
	return keys[Build]{
		"file":                asFile(func(b *Build) *string { return &b.File }),
		"listing":             asFile(func(b *Build) *string { return &b.Listing }),
		"isa":                 asString(func(b *Build) *string { return &b.ISA }),
		"variant":             asString(func(b *Build) *string { return &b.Variant }),
		"target":              asString(func(b *Build) *string { return &b.Target }),
		"code_object_version": asInt(2, 6, func(b *Build) *int { return &b.CodeObjectVersion }),
		"compiler":            asString(func(b *Build) *string { return &b.Compiler }),
		"opt":                 asString(func(b *Build) *string { return &b.Opt }),
		"listing_from":        asString(func(b *Build) *string { return &b.ListingFrom }),
		"address":             func(b *Build, v []byte) (err error) { b.Address, err = readWord(v); return err },
		"bare": func(b *Build, v []byte) error {
			b.Bare = &BareBuild{}
			return readObject(b.Bare, v, &bareKeys, nil)
		},
	}
}}

var bareKeys = keyTable[BareBuild]{rows: func() keys[BareBuild] {
	return keys[BareBuild]{
		"lds_bytes":     asInt(0, maxLocal, func(b *BareBuild) *int { return &b.LDS }),
		"scratch_bytes": asInt(0, maxLocal, func(b *BareBuild) *int { return &b.Scratch }),
		"descriptor": func(b *BareBuild, v []byte) error {
			b.Descriptor = &BareDescriptor{}
			err := readObject(b.Descriptor, v, &bareDescriptorKeys, nil)
			if err == nil && (!hasKey(v, "compute_pgm_rsrc1") || !hasKey(v, "compute_pgm_rsrc2")) {
				err = badValue("no compute_pgm_rsrc1 or compute_pgm_rsrc2")
			}
			return err
		},
	}
}}

var bareDescriptorKeys = keyTable[BareDescriptor]{rows: func() keys[BareDescriptor] {
	return keys[BareDescriptor]{
		"compute_pgm_rsrc1":      asWord(32, func(d *BareDescriptor) *uint32 { return &d.Rsrc1 }),
		"compute_pgm_rsrc2":      asWord(32, func(d *BareDescriptor) *uint32 { return &d.Rsrc2 }),
		"kernel_code_properties": asWord(16, func(d *BareDescriptor) *uint32 { return &d.Properties }),
	}
}}

// asWord reads a word of the given number of bits.
func asWord[T any](bits int, at func(*T) *uint32) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		w, err := readWord(v)
		if err == nil && w>>bits != 0 {
			err = want(fmt.Sprintf("a word of %d bits", bits), v)
		}
		*at(t) = uint32(w)
		return err
	}
}

var bufferKeys = keyTable[Buffer]{rows: func() keys[Buffer] {
	return keys[Buffer]{
		"bytes":  asInt(1, maxBuffer, func(b *Buffer) *int { return &b.Bytes }),
		"elem":   asString(func(b *Buffer) *string { return &b.Elem }),
		"init":   asFile(func(b *Buffer) *string { return &b.Init }),
		"expect": asFile(func(b *Buffer) *string { return &b.Expect }),
		"address": func(b *Buffer, v []byte) (err error) {
			b.Address, err = readWord(v)
			return err
		},
		"space":     asString(func(b *Buffer) *string { return &b.Space }),
		"read_only": asBool(func(b *Buffer) *bool { return &b.ReadOnly }),
		"words":     asArgs(func(b *Buffer) *[]LaunchArg { return &b.Words }),
		"compare": func(b *Buffer, v []byte) error {
			return readObject(&b.Compare, v, &bufferCompareKeys, nil)
		},
	}
}}

var bufferCompareKeys = keyTable[BufferCompare]{rows: func() keys[BufferCompare] {
	return keys[BufferCompare]{
		"type": func(c *BufferCompare, v []byte) (err error) {
			c.Type, err = oneOf(v, "u32", "f32", "f64", "f16")
			return err
		},
		"mode": func(c *BufferCompare, v []byte) (err error) {
			c.Mode, err = oneOf(v, "exact", "ulp_or_abs", "skip")
			return err
		},
		"ulp":       asInt(0, 1<<31, func(c *BufferCompare) *int { return &c.ULP }),
		"abs":       asFloat(func(c *BufferCompare) *float64 { return &c.Abs }),
		"nan":       asAny(func(c *BufferCompare) *bool { return &c.NaNAny }),
		"zero_sign": asAny(func(c *BufferCompare) *bool { return &c.ZeroAny }),
	}
}}

var dispatchKeys = keyTable[Launch]{rows: func() keys[Launch] {
	return keys[Launch]{
		"kernel":        asString(func(l *Launch) *string { return &l.Kernel }),
		"work_dim":      asInt(1, 3, func(l *Launch) *int { return &l.WorkDim }),
		"grid":          asThree(1, maxGrid, func(l *Launch) *[3]int { return &l.Grid }),
		"block":         asThree(1, maxGroup, func(l *Launch) *[3]int { return &l.Block }),
		"global_offset": asThree(0, maxGrid, func(l *Launch) *[3]int { return &l.GlobalOffset }),
		"args":          asArgs(func(l *Launch) *[]LaunchArg { return &l.Args }),
		"shared_bytes":  asInt(1, maxLocal, func(l *Launch) *int { return &l.SharedBytes }),
		"private_bytes": asInt(1, maxLocal, func(l *Launch) *int { return &l.PrivateBytes }),
		"abi": func(l *Launch, v []byte) (err error) {
			l.ABI, err = oneOf(v, "cuda", "mesa")
			return err
		},
		"preload": func(l *Launch, v []byte) error {
			w, err := readWord(v)
			if l.Preload = int(w & 0xffff); err == nil && (w == 0 || w > 0xffff) {
				err = badValue("%s is no mask of r48 to r63: 1 to ffff", clip(string(v)))
			}
			return err
		},
		"kernarg":   func(l *Launch, v []byte) (err error) { l.Kernarg, err = readBytes(v); return err },
		"registers": asWords(func(l *Launch) *map[string]Words { return &l.Registers }),
		"options":   asStringMap(func(l *Launch) *map[string]string { return &l.Options }),
		"resources": readResources,
	}
}}

var pictureKeys = keyTable[Picture]{rows: func() keys[Picture] {
	return keys[Picture]{
		"name":   asString(func(p *Picture) *string { return &p.Name }),
		"buffer": asString(func(p *Picture) *string { return &p.Buffer }),
		"width":  asInt(1, maxSide, func(p *Picture) *int { return &p.Width }),
		"height": asInt(1, maxSide, func(p *Picture) *int { return &p.Height }),
		"format": asString(func(p *Picture) *string { return &p.Format }),
		"scale": func(p *Picture, v []byte) (err error) {
			p.Scale, err = oneOf(v, "linear", "log")
			return err
		},
		"min": asFloat(func(p *Picture) *float64 { return &p.Min }),
		"max": asFloat(func(p *Picture) *float64 { return &p.Max }),
	}
}}

func asFile[T any](at func(*T) *string) func(*T, []byte) error {
	return func(t *T, v []byte) (err error) {
		*at(t), err = localFile(v)
		return err
	}
}

// asArgs reads a list of arguments.
func asArgs[T any](at func(*T) *[]LaunchArg) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		list := at(t)
		*list = []LaunchArg{}
		return eachElement(v, func(i int, v []byte) error {
			if i == maxManyItems {
				return badValue("more than %d arguments", maxManyItems)
			}
			a, err := readLaunchArg(v)
			*list = append(*list, a)
			return err
		})
	}
}

// asList reads a list of objects.
func asList[T, E any](at func(*T) *[]E, keys *keyTable[E]) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		*at(t) = nil
		return eachElement(v, func(i int, v []byte) error {
			if i == maxManyItems {
				return badValue("more than %d entries", maxManyItems)
			}
			var e E
			err := readObject(&e, v, keys, nil)
			*at(t) = append(*at(t), e)
			return err
		})
	}
}

// numberTypes are the number types of arguments with their sizes in bits; f16 is given as its bits.
var numberTypes = map[string]int{"i8": 8, "u8": 8, "i16": 16, "u16": 16, "f16": 16, "i32": 32, "u32": 32, "f32": 32, "i64": 64, "u64": 64, "f64": 64}

// argBits reads a number of a type as its bits; known reports whether the type exists.
func argBits(typ, s string) (bits uint64, known bool, err error) {
	size := numberTypes[typ]
	switch {
	case size == 0:
		return 0, false, nil
	case typ == "f32":
		v, err := strconv.ParseFloat(s, 32)
		return uint64(math.Float32bits(float32(v))), true, err
	case typ == "f64":
		v, err := strconv.ParseFloat(s, 64)
		return math.Float64bits(v), true, err
	case typ[0] == 'i':
		v, err := strconv.ParseInt(s, 10, size)
		return uint64(v) & (^uint64(0) >> (64 - size)), true, err
	}
	v, err := strconv.ParseUint(s, 10, size)
	return v, true, err
}

// readLaunchArg reads one of the four forms of an argument.
func readLaunchArg(v []byte) (LaunchArg, error) {
	var a LaunchArg
	var value []byte
	members := keys[LaunchArg]{
		"buffer":      asString(func(a *LaunchArg) *string { return &a.Buffer }),
		"local_bytes": asInt(1, maxLocal, func(a *LaunchArg) *int { return &a.LocalBytes }),
		"type":        asString(func(a *LaunchArg) *string { return &a.Type }),
		"hex":         func(a *LaunchArg, v []byte) (err error) { a.Data, err = readBytes(v); return err },
		"value":       func(_ *LaunchArg, v []byte) error { value = v; return nil },
	}
	if err := readMembers(&a, v, members, nil); err != nil {
		return a, err
	}
	forms := 0
	for _, has := range []bool{a.Buffer != "", a.LocalBytes != 0, a.Type != "" && value != nil, len(a.Data) > 0} {
		if has {
			forms++
		}
	}
	if forms != 1 || (a.Type != "") != (value != nil) {
		return a, badValue("want one of buffer, local_bytes, hex, or type and value")
	}
	if a.Type == "" {
		return a, nil
	}
	bits, known, err := argBits(a.Type, string(value))
	if !known {
		return a, under("type", badValue("%q is none of %s", clip(a.Type), strings.Join(slices.Sorted(maps.Keys(numberTypes)), ", ")))
	}
	if err != nil || strings.Trim(string(value), "0123456789+-.eE") != "" {
		return a, under("value", badValue("%s is no %s", clip(string(value)), a.Type))
	}
	a.Bits = bits
	return a, nil
}

// check rejects an inconsistent manifest.
func (m *Manifest) check(hasFormat bool) error {
	switch {
	case !hasFormat:
		return badValue("no format")
	case m.Name == "":
		return badValue("no name")
	case len(m.Variants) == 0:
		return badValue("no variants")
	case len(m.Launches) == 0:
		return badValue("no launches")
	}
	for i := range m.Variants {
		switch v := &m.Variants[i]; {
		case v.File == "" || v.ISA == "" || v.Variant == "":
			return under(index("variants", i), badValue("no file, isa or variant"))
		case v.Bare != nil && m.Format != ManifestFormat:
			return under(index("variants", i), under("bare", badValue("code is always bare in manifests of format %s", m.Format)))
		case v.Address != 0 && v.Bare == nil && m.Format == ManifestFormat:
			return under(index("variants", i), under("address", badValue("a code object says where its code lies; bare code may have an address")))
		}
	}
	buffers, total := map[string]*Buffer{}, 0
	for i := range m.Buffers {
		b := &m.Buffers[i]
		buffers[b.Name] = b
		err := b.check()
		if err == nil {
			err = b.plain(m.Format)
		}
		if err != nil {
			return under("buffers", under(b.Name, err))
		}
		if total += b.Bytes; total > maxBuffer {
			return under("buffers", badValue("more than %d bytes together", maxBuffer))
		}
	}
	for i := range m.Launches {
		err := m.Launches[i].check(m.Format, buffers)
		if err == nil {
			err = m.Launches[i].plain(m.Format)
		}
		if err != nil {
			return under(index("launches", i), err)
		}
	}
	if m.Format != ManifestFormat {
		if err := m.checkPlaced(buffers); err != nil {
			return err
		}
	}
	for i := range m.Pictures {
		if err := m.Pictures[i].check(buffers); err != nil {
			return under(index("pictures", i), err)
		}
	}
	return nil
}

func index(key string, i int) string { return key + "[" + strconv.Itoa(i) + "]" }

func (b *Buffer) check() error {
	size, ok := elemSize(b.Elem)
	switch {
	case b.Name == "":
		return badValue("a buffer needs a name")
	case b.Bytes == 0:
		return badValue("no bytes")
	case !ok:
		return under("elem", badValue("%q is no element type", clip(b.Elem)))
	case b.Bytes%size != 0:
		return under("bytes", badValue("%d is no multiple of the %d of %s", b.Bytes, size, b.Elem))
	case b.Init == "" && b.Words == nil:
		return badValue("no init")
	case b.Init != "" && b.Words != nil:
		return badValue("both init and words; one of them says what it begins with")
	}
	return nil
}

func (l *Launch) check(format string, buffers map[string]*Buffer) error {
	switch {
	case l.Kernel == "":
		return badValue("no kernel")
	case l.WorkDim == 0:
		return badValue("no work_dim")
	case l.Grid[0] == 0 || l.Block[0] == 0:
		return badValue("no grid or block")
	case l.Block[0]*l.Block[1]*l.Block[2] > maxGroup:
		return under("block", badValue("%v has more than %d work-items", l.Block, maxGroup))
	}
	for i := range 3 {
		if l.Grid[i]%l.Block[i] != 0 && format != ManifestFormat {
			return under("grid", badValue("%v is no multiple of block %v", l.Grid, l.Block))
		}
		if i >= l.WorkDim && l.Grid[i] != 1 {
			return under("grid", badValue("%v has more than work_dim %d dimensions", l.Grid, l.WorkDim))
		}
	}
	if l.Kernarg != nil && l.Args != nil {
		return badValue("both args and kernarg; one of them says what the arguments are")
	}
	for name, w := range l.Registers {
		if n := len(w.V); n == 0 || n > maxWave || slices.Max(w.V) > math.MaxUint32 {
			return under("registers", under(name, badValue("want a word of 32 bits, or 1 to %d of them", maxWave)))
		}
	}
	for i, a := range l.Args {
		if a.Buffer != "" && buffers[a.Buffer] == nil {
			return under(index("args", i), under("buffer", badValue("there is no buffer %q", clip(a.Buffer))))
		}
	}
	return nil
}

func (p *Picture) check(buffers map[string]*Buffer) error {
	b := buffers[p.Buffer]
	size, known := pixelSize(p.Format)
	switch {
	case p.Name == "" || strings.ContainsAny(p.Name, "/\\\x00"):
		return under("name", badValue("%q is no file name", clip(p.Name)))
	case b == nil:
		return under("buffer", badValue("there is no buffer %q", clip(p.Buffer)))
	case !known:
		return under("format", badValue("%q is none of rgba8, gray8, gray-u32, gray-f32, escape-u32", clip(p.Format)))
	case p.Width == 0 || p.Height == 0:
		return badValue("no width or height")
	case p.Width*p.Height > limit.Pixels:
		return badValue("%dx%d pixels, at most %d", p.Width, p.Height, limit.Pixels)
	case p.Width*p.Height*size > b.Bytes:
		return badValue("%dx%d pixels of %s do not fit in the %s of %q", p.Width, p.Height, spell.Count(size, "byte"), spell.Count(b.Bytes, "byte"), b.Name)
	case p.Max < p.Min:
		return under("max", badValue("%v is below min %v", p.Max, p.Min))
	}
	return nil
}
