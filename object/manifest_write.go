package object

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
)

// JSON returns the text of the manifest, which ReadManifest can read. Keys with default values are left out, and so is
// Extra.
func (m *Manifest) JSON() ([]byte, error) {
	var o jsonObject
	o.text("format", m.Format)
	o.text("name", m.Name)
	o.text("source", m.Source)
	o.list("build_options", len(m.BuildOptions), func(i int) any { return m.BuildOptions[i] })
	o.list("variants", len(m.Variants), func(i int) any { return m.Variants[i].json() })
	var buffers jsonObject
	for i := range m.Buffers {
		buffers.add(m.Buffers[i].Name, m.Buffers[i].json())
	}
	o.add("buffers", &buffers)
	o.list("launches", len(m.Launches), func(i int) any { return m.Launches[i].json() })
	o.list("pictures", len(m.Pictures), func(i int) any { return m.Pictures[i].json() })
	o.text("expected_from", m.ExpectedFrom)
	raw, err := o.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("manifest %s: %w", m.Name, err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", " "); err != nil {
		return nil, err
	}
	return append(b.Bytes(), '\n'), nil
}

func (b *Build) json() *jsonObject {
	var o jsonObject
	o.text("file", b.File)
	o.text("listing", b.Listing)
	o.text("isa", b.ISA)
	o.text("variant", b.Variant)
	o.text("target", b.Target)
	o.number("code_object_version", b.CodeObjectVersion)
	o.text("compiler", b.Compiler)
	o.text("opt", b.Opt)
	o.text("listing_from", b.ListingFrom)
	if b.Address != 0 {
		o.text("address", hexWord(b.Address))
	}
	if b.Bare != nil {
		var bare jsonObject
		bare.number("lds_bytes", b.Bare.LDS)
		bare.number("scratch_bytes", b.Bare.Scratch)
		if d := b.Bare.Descriptor; d != nil {
			bare.add("descriptor", &jsonObject{keys: []string{"compute_pgm_rsrc1", "compute_pgm_rsrc2", "kernel_code_properties"},
				values: []any{hexWord(uint64(d.Rsrc1)), hexWord(uint64(d.Rsrc2)), hexWord(uint64(d.Properties))}})
		}
		o.add("bare", &bare)
	}
	return &o
}

func (b *Buffer) json() *jsonObject {
	var o jsonObject
	o.number("bytes", b.Bytes)
	o.text("elem", b.Elem)
	o.text("space", b.Space)
	if b.Address != 0 {
		o.text("address", hexWord(b.Address))
	}
	if b.ReadOnly {
		o.add("read_only", true)
	}
	o.text("init", b.Init)
	if b.Words != nil {
		o.add("words", argsJSON(b.Words))
	}
	o.text("expect", b.Expect)
	if c := &b.Compare; *c != (BufferCompare{}) {
		var how jsonObject
		how.text("mode", c.Mode)
		how.text("type", c.Type)
		how.number("ulp", c.ULP)
		how.float("abs", c.Abs)
		how.any("nan", c.NaNAny)
		how.any("zero_sign", c.ZeroAny)
		o.add("compare", &how)
	}
	return &o
}

func (l *Launch) json() *jsonObject {
	var o jsonObject
	o.text("kernel", l.Kernel)
	o.number("work_dim", l.WorkDim)
	o.add("grid", l.Grid)
	o.add("block", l.Block)
	if l.GlobalOffset != [3]int{} {
		o.add("global_offset", l.GlobalOffset)
	}
	o.text("abi", l.ABI)
	if l.Kernarg == nil {
		o.add("args", argsJSON(l.Args))
	} else {
		o.add("kernarg", fmt.Sprintf("%x", l.Kernarg))
	}
	if l.Registers != nil {
		o.add("registers", registersJSON(l.Registers))
	}
	o.number("shared_bytes", l.SharedBytes)
	o.number("private_bytes", l.PrivateBytes)
	if l.Preload != 0 {
		o.text("preload", fmt.Sprintf("%x", l.Preload))
	}
	if l.Options != nil {
		o.add("options", l.Options)
	}
	if l.Resources != nil {
		o.add("resources", l.Resources)
	}
	return &o
}

func (p *Picture) json() *jsonObject {
	var o jsonObject
	o.text("name", p.Name)
	o.text("buffer", p.Buffer)
	o.number("width", p.Width)
	o.number("height", p.Height)
	o.text("format", p.Format)
	o.text("scale", p.Scale)
	o.float("min", p.Min)
	o.float("max", p.Max)
	return &o
}

func hexWord(w uint64) string { return fmt.Sprintf("%#x", w) }

// registersJSON returns registers in the order of their names.
func registersJSON(regs map[string]Words) *jsonObject {
	var o jsonObject
	for _, name := range slices.SortedFunc(maps.Keys(regs), natural) {
		w := regs[name]
		list := []string{}
		for _, v := range w.V {
			list = append(list, hexWord(v))
		}
		if !w.List && len(list) == 1 {
			o.add(name, list[0])
		} else {
			o.add(name, list)
		}
	}
	return &o
}

// natural orders s4 before s10.
func natural(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

func argsJSON(args []LaunchArg) []*jsonObject {
	list := []*jsonObject{}
	for i := range args {
		list = append(list, args[i].json())
	}
	return list
}

// json returns the argument. A float that JSON cannot represent is written as its bytes.
func (a *LaunchArg) json() *jsonObject {
	var o jsonObject
	switch {
	case a.Buffer != "":
		o.text("buffer", a.Buffer)
	case a.LocalBytes != 0:
		o.number("local_bytes", a.LocalBytes)
	case a.Data != nil:
		o.text("hex", fmt.Sprintf("%x", a.Data))
	default:
		size := numberTypes[a.Type]
		value, ok := argText(a.Type, size, a.Bits)
		if !ok {
			data := make([]byte, size/8)
			for i := range data {
				data[i] = byte(a.Bits >> (8 * i))
			}
			o.text("hex", fmt.Sprintf("%x", data))
			break
		}
		o.text("type", a.Type)
		o.add("value", json.RawMessage(value))
	}
	return &o
}

// argText returns a number as JSON text; not ok if JSON cannot represent it.
func argText(typ string, size int, bits uint64) (text string, ok bool) {
	var v float64
	switch {
	case typ == "f32":
		v = float64(math.Float32frombits(uint32(bits)))
	case typ == "f64":
		v = math.Float64frombits(bits)
	case typ[0] == 'i':
		return strconv.FormatInt(int64(bits)<<(64-size)>>(64-size), 10), true
	default:
		return strconv.FormatUint(bits, 10), true
	}
	return strconv.FormatFloat(v, 'g', -1, size), !math.IsNaN(v) && !math.IsInf(v, 0)
}

// A jsonObject is an object whose keys stay in order.
type jsonObject struct {
	keys   []string
	values []any
}

func (o *jsonObject) add(key string, v any) {
	o.keys, o.values = append(o.keys, key), append(o.values, v)
}

func (o *jsonObject) text(key, v string) {
	if v != "" {
		o.add(key, v)
	}
}

func (o *jsonObject) number(key string, v int) {
	if v != 0 {
		o.add(key, v)
	}
}

func (o *jsonObject) float(key string, v float64) {
	if v != 0 {
		o.add(key, v)
	}
}

func (o *jsonObject) any(key string, is bool) {
	if is {
		o.add(key, "any")
	}
}

func (o *jsonObject) list(key string, n int, at func(i int) any) {
	list := []any{}
	for i := range n {
		list = append(list, at(i))
	}
	if n > 0 {
		o.add(key, list)
	}
}

// MarshalJSON implements json.Marshaler.
func (o *jsonObject) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, key := range o.keys {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(o.values[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}
