package object

import (
	"strconv"
	"strings"
)

// An oldReader reads metadata of version 2 from its document.
type oldReader struct {
	at   uint64 // offset of the note in the file
	args int    // read so far
}

func (r *oldReader) fail(n *node, format string, args ...any) error {
	e := failAt("metadata", r.at, format, args...)
	e.Msg = "line " + strconv.Itoa(n.line) + " of the metadata: " + e.Msg
	return e
}

// fields reads a map by the table of its keys; other keys are ignored.
func (r *oldReader) fields(n *node, keys map[string]func(*node) error) error {
	if n.kind != mapNode {
		return r.fail(n, "keys with values are expected")
	}
	for i, key := range n.keys {
		if read := keys[key]; read != nil {
			if err := read(&n.items[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *oldReader) list(n *node, each func(*node) error) error {
	if n.kind != listNode && (n.kind != scalarNode || n.text != "") {
		return r.fail(n, "a list is expected")
	}
	for i := range n.items {
		if err := each(&n.items[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *oldReader) num(n *node, v *uint32) error {
	x, err := strconv.ParseUint(n.text, 0, 32)
	if n.kind != scalarNode || err != nil {
		return r.fail(n, "%q is no number of 32 bits", n.text)
	}
	*v = uint32(x)
	return nil
}

// nums reads a list of exactly len(v) numbers.
func (r *oldReader) nums(n *node, v []uint32) error {
	if n.kind != listNode || len(n.items) != len(v) {
		return r.fail(n, "%d values, want %d", len(n.items), len(v))
	}
	for i := range v {
		if err := r.num(&n.items[i], &v[i]); err != nil {
			return err
		}
	}
	return nil
}

// Readers of one key.
func (r *oldReader) toNum(v *uint32) func(*node) error {
	return func(n *node) error { return r.num(n, v) }
}
func (r *oldReader) toNums(v []uint32) func(*node) error {
	return func(n *node) error { return r.nums(n, v) }
}
func (r *oldReader) toText(v *string) func(*node) error {
	return func(n *node) error { *v = n.text; return nil }
}
func (r *oldReader) toLower(v *string) func(*node) error {
	return func(n *node) error { *v = strings.ToLower(n.text); return nil }
}

func (r *oldReader) toFlag(v *bool) func(*node) error {
	return func(n *node) error { *v = n.text == "true"; return nil }
}

// kernel reads an entry of Kernels.
func (r *oldReader) kernel(n *node) (KernelMetadata, error) {
	k := KernelMetadata{off: r.at}
	err := r.fields(n, map[string]func(*node) error{
		"Name": r.toText(&k.Name), "SymbolName": r.toText(&k.Symbol), "Language": r.toText(&k.Language),
		"LanguageVersion": r.toNums(k.LanguageVersion[:]),
		"Attrs": func(n *node) error {
			return r.fields(n, map[string]func(*node) error{
				"ReqdWorkGroupSize": r.toNums(k.ReqdGroup[:]), "WorkGroupSizeHint": r.toNums(k.GroupHint[:]), "VecTypeHint": r.toText(&k.VecTypeHint),
				"RuntimeHandle": r.toText(&k.EnqueueSymbol),
			})
		},
		"CodeProps": func(n *node) error {
			return r.fields(n, map[string]func(*node) error{
				"KernargSegmentSize": r.toNum(&k.KernargSize), "KernargSegmentAlign": r.toNum(&k.KernargAlign),
				"GroupSegmentFixedSize": r.toNum(&k.GroupSize), "PrivateSegmentFixedSize": r.toNum(&k.PrivateSize),
				"WavefrontSize": r.toNum(&k.WaveSize), "NumSGPRs": r.toNum(&k.SGPRs), "NumVGPRs": r.toNum(&k.VGPRs),
				"MaxFlatWorkGroupSize": r.toNum(&k.MaxFlatGroup), "IsDynamicCallStack": r.toFlag(&k.DynamicStack),
				"NumSpilledSGPRs": r.toNum(&k.SGPRSpills), "NumSpilledVGPRs": r.toNum(&k.VGPRSpills),
			})
		},
		"Args": func(n *node) error { return r.list(n, func(n *node) error { return r.arg(n, &k) }) },
	})
	if k.Symbol == "" {
		k.Symbol = k.Name
	}
	return k, err
}

// arg reads an argument. Its offset is the first aligned one after the argument before.
func (r *oldReader) arg(n *node, k *KernelMetadata) error {
	if r.args++; r.args > maxMetaArgs {
		return failAt("limit", r.at, "more than %d arguments", maxMetaArgs)
	}
	var a Arg
	var align uint32
	kind := ""
	err := r.fields(n, map[string]func(*node) error{
		"Name": r.toText(&a.Name), "TypeName": r.toText(&a.TypeName), "Size": r.toNum(&a.Size), "Align": r.toNum(&align),
		"ValueKind": r.toText(&kind), "ValueType": r.toLower(&a.ValueType), "AddrSpaceQual": r.toLower(&a.AddressSpace),
		"PointeeAlign": r.toNum(&a.PointeeAlign), "AccQual": r.toText(&a.Access), "ActualAccQual": r.toText(&a.ActualAccess),
		"IsConst": r.toFlag(&a.Const), "IsRestrict": r.toFlag(&a.Restrict), "IsVolatile": r.toFlag(&a.Volatile), "IsPipe": r.toFlag(&a.Pipe),
	})
	if err != nil {
		return err
	}
	if align = max(align, 1); align&(align-1) != 0 || align > 1<<16 {
		return r.fail(n, "alignment of %d is no power of two up to 65536", align)
	}
	end := uint64(0)
	if len(k.Args) > 0 {
		last := &k.Args[len(k.Args)-1]
		end = uint64(last.Offset) + uint64(last.Size)
	}
	if end = (end + uint64(align) - 1) &^ uint64(align-1); end > maxImage {
		return r.fail(n, "arguments of more than %#x bytes", maxImage)
	}
	a.Offset, a.ValueKind = uint32(end), valueKind(kind)
	a.Access, a.ActualAccess = access(a.Access), access(a.ActualAccess)
	k.Args = append(k.Args, a)
	return nil
}

// valueKind returns the later name of a kind of argument: HiddenGlobalOffsetX is hidden_global_offset_x.
func valueKind(old string) string {
	if old == "HiddenMultiGridSyncArg" {
		return "hidden_multigrid_sync_arg"
	}
	return snake(old)
}

// access returns the later name of an access: ReadOnly is read_only, Default is none.
func access(old string) string {
	if old == "Default" {
		return ""
	}
	return snake(old)
}

func snake(old string) string {
	var b strings.Builder
	for i, c := range old {
		if c >= 'A' && c <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}
