package object

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tinylib/msgp/msgp"
)

// EncodeMetadata converts metadata as compilers write it into assembly, YAML, to the MessagePack of the note. An error
// has the line of the text, from 1.
func EncodeMetadata(yaml string) ([]byte, error) {
	doc, err := readYAML(yaml)
	if err != nil {
		return nil, err
	}
	if doc.kind != mapNode {
		return nil, &Error{Code: "metadata", Line: doc.line, Msg: "metadata is no map"}
	}
	return packNode(nil, &doc), nil
}

// DecodeMetadata is the inverse of EncodeMetadata: the text of a note's contents.
func DecodeMetadata(note []byte) (yaml string, err error) {
	m := &metaReader{b: note, end: uint64(len(note))}
	nodes := 0
	doc, err := unpackNode(m, 0, &nodes)
	if err != nil {
		return "", err
	}
	return writeYAML(&doc), nil
}

// MetadataNote returns a note section that holds metadata of version 3 or later.
func MetadataNote(desc []byte) []byte { return noteOf(noteAMDGPU, metadataNote, desc) }

// OldNote returns a note of code objects of version 2: 1 the version, 3 the processor, 10 metadata in YAML, 11 the
// target's name.
func OldNote(kind uint32, desc []byte) []byte { return noteOf(noteAMD, kind, desc) }

func noteOf(owner string, kind uint32, desc []byte) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, uint32(len(owner)))
	b = le.AppendUint32(b, uint32(len(desc)))
	b = le.AppendUint32(b, kind)
	b = append(b, owner...)
	b = append(b, make([]byte, up4(uint64(len(b)))-uint64(len(b)))...)
	b = append(b, desc...)
	return append(b, make([]byte, up4(uint64(len(b)))-uint64(len(b)))...)
}

// packNode appends a value. The type of a plain scalar follows from its text: a number, a boolean, null, or else a
// string.
func packNode(b []byte, n *node) []byte {
	switch n.kind {
	case listNode:
		b = msgp.AppendArrayHeader(b, uint32(len(n.items)))
		for i := range n.items {
			b = packNode(b, &n.items[i])
		}
		return b
	case mapNode:
		b = msgp.AppendMapHeader(b, uint32(len(n.items)))
		for i := range n.items {
			b = packNode(msgp.AppendString(b, n.keys[i]), &n.items[i])
		}
		return b
	}
	if n.quoted {
		return msgp.AppendString(b, n.text)
	}
	if v, err := strconv.ParseUint(strings.TrimPrefix(n.text, "+"), 0, 64); err == nil && !strings.Contains(n.text, "_") {
		return msgp.AppendUint64(b, v)
	}
	if v, err := strconv.ParseInt(n.text, 0, 64); err == nil && !strings.Contains(n.text, "_") {
		return msgp.AppendInt64(b, v)
	}
	switch n.text {
	case "", "~", "null":
		return msgp.AppendNil(b)
	case "true", "false":
		return msgp.AppendBool(b, n.text == "true")
	}
	if v, err := strconv.ParseFloat(n.text, 64); err == nil && strings.IndexByte("+-.0123456789", n.text[0]) >= 0 {
		return msgp.AppendFloat64(b, v)
	}
	return msgp.AppendString(b, n.text)
}

// unpackNode reads a value.
func unpackNode(m *metaReader, depth int, nodes *int) (n node, err error) {
	if *nodes++; *nodes > maxYAMLNodes {
		return n, failAt("limit", m.off(), "more than %d values", maxYAMLNodes)
	}
	if depth > maxYAMLDepth {
		return n, failAt("metadata", m.off(), "nested more than %d deep", maxYAMLDepth)
	}
	child := func() error {
		item, err := unpackNode(m, depth+1, nodes)
		n.items = append(n.items, item)
		return err
	}
	switch msgp.NextType(m.b) {
	case msgp.MapType:
		n.kind = mapNode
		return n, m.object("metadata", func(key string) (bool, error) {
			if n.keys = append(n.keys, key); !utf8.ValidString(key) {
				return true, failAt("metadata", m.off(), "key %q is no UTF-8", key)
			}
			return true, child()
		})
	case msgp.ArrayType:
		n.kind = listNode
		return n, m.array("metadata", child)
	}
	return n, m.scalar(&n)
}

// scalar reads a value that holds no others.
func (m *metaReader) scalar(n *node) (err error) {
	switch kind := msgp.NextType(m.b); kind {
	case msgp.StrType:
		n.quoted = true
		if n.text, err = m.str("metadata"); err == nil && !utf8.ValidString(n.text) {
			return failAt("metadata", m.off(), "%q is no UTF-8", n.text)
		}
	case msgp.BoolType:
		var v bool
		v, err = m.flag("metadata")
		n.text = strconv.FormatBool(v)
	case msgp.NilType:
		m.b, err = msgp.ReadNilBytes(m.b)
	case msgp.UintType:
		var v uint64
		v, m.b, err = msgp.ReadUint64Bytes(m.b)
		n.text = strconv.FormatUint(v, 10)
	case msgp.IntType:
		var v int64
		v, m.b, err = msgp.ReadInt64Bytes(m.b)
		n.text = strconv.FormatInt(v, 10)
	case msgp.Float64Type, msgp.Float32Type:
		var v float64
		v, m.b, err = msgp.ReadFloat64Bytes(m.b)
		if n.text = strconv.FormatFloat(v, 'g', -1, 64); err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
			return failAt("metadata", m.off(), "the number %v has no text", v)
		}
		if !strings.ContainsAny(n.text, ".e") {
			n.text += ".0"
		}
	default:
		return failAt("metadata", m.off(), "values of type %v have no text", kind)
	}
	if err != nil {
		return m.fail("metadata", err)
	}
	return nil
}
