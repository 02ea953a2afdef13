package object

import "strconv"

// MetadataText returns the metadata of a code object's kernels in the form of the note of version 5, in YAML: for code
// objects of version 2, whose own note has other names.
func MetadataText(o *CodeObject) string {
	doc := node{kind: mapNode}
	kernels := node{kind: listNode}
	for i := range o.Kernels {
		if m := o.Kernels[i].Meta; m != nil {
			kernels.items = append(kernels.items, kernelNode(&o.Kernels[i]))
		}
	}
	doc.put("amdhsa.kernels", kernels)
	doc.str("amdhsa.target", "amdgcn-amd-amdhsa--"+o.Target)
	if len(o.Metadata.Printf) > 0 {
		list := node{kind: listNode}
		for _, f := range o.Metadata.Printf {
			list.items = append(list.items, node{text: f, quoted: true})
		}
		doc.put("amdhsa.printf", list)
	}
	doc.put("amdhsa.version", numbers(1, 2))
	return writeYAML(&doc)
}

func (n *node) put(key string, v node) { n.keys, n.items = append(n.keys, key), append(n.items, v) }

// str adds a text if it is not empty, num a number, flag a boolean.
func (n *node) str(key, v string) {
	if v != "" {
		n.put(key, node{text: v, quoted: true})
	}
}

func (n *node) num(key string, v uint32) { n.put(key, node{text: strconv.FormatUint(uint64(v), 10)}) }

func (n *node) flag(key string, v bool) {
	if v {
		n.put(key, node{text: "true"})
	}
}

func numbers(vs ...uint32) node {
	n := node{kind: listNode}
	for _, v := range vs {
		n.items = append(n.items, node{text: strconv.FormatUint(uint64(v), 10)})
	}
	return n
}

func kernelNode(k *Kernel) node {
	m := k.Meta
	n := node{kind: mapNode}
	args := node{kind: listNode}
	for i := range m.Args {
		args.items = append(args.items, argNode(&m.Args[i]))
	}
	n.put(".args", args)
	n.num(".group_segment_fixed_size", m.GroupSize)
	n.num(".kernarg_segment_align", max(m.KernargAlign, 8))
	n.num(".kernarg_segment_size", m.KernargSize)
	n.str(".language", m.Language)
	if m.LanguageVersion != [2]uint32{} {
		n.put(".language_version", numbers(m.LanguageVersion[:]...))
	}
	n.num(".max_flat_workgroup_size", m.MaxFlatGroup)
	n.str(".name", m.Name)
	n.num(".private_segment_fixed_size", m.PrivateSize)
	if m.ReqdGroup != [3]uint32{} {
		n.put(".reqd_workgroup_size", numbers(m.ReqdGroup[:]...))
	}
	n.num(".sgpr_count", m.SGPRs)
	n.str(".symbol", k.Name+".kd")
	n.num(".vgpr_count", m.VGPRs)
	n.num(".wavefront_size", max(m.WaveSize, 64))
	return n
}

func argNode(a *Arg) node {
	n := node{kind: mapNode}
	n.str(".access", a.Access)
	n.str(".address_space", a.AddressSpace)
	n.flag(".is_const", a.Const)
	n.flag(".is_restrict", a.Restrict)
	n.flag(".is_volatile", a.Volatile)
	n.str(".name", a.Name)
	n.num(".offset", a.Offset)
	if a.PointeeAlign != 0 {
		n.num(".pointee_align", a.PointeeAlign)
	}
	n.num(".size", a.Size)
	n.str(".type_name", a.TypeName)
	n.str(".value_kind", a.ValueKind)
	return n
}
