package object

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/heddle-gpu/heddle/internal/limit"
)

// FileKind is which format a file has.
type FileKind uint8

const (
	OtherFile FileKind = iota // none of the below: to be passed over
	PairsFile
	StatesFile
	ManifestFile
	HSAFile
	FrameFile
	GCNSceneFile
	TeslaSceneFile
	ValhallSceneFile
	VectorsFile
)

var fileKinds = [...]string{"other", "pairs", "states", "manifest", "code object", "frame", "recorded draw", "recorded draw", "recorded draw", "vectors"}

func (k FileKind) String() string { return fileKinds[k] }

// Detect is Sniff for a file by its path. The error is of opening the file.
func Detect(path string) (FileKind, error) {
	f, err := limit.Open(path)
	if err != nil {
		return OtherFile, err
	}
	defer f.Close()
	return Sniff(f), nil
}

// Sniff decides by contents, plain or gzip: a table whose first line starts with #isa; JSON
// objects of which the first has name, isa, code and asm; one JSON object whose format is
// ManifestFormat, ValhallManifestFormat, RogueManifestFormat, GCNSceneFormat, TeslaSceneFormat or ValhallSceneFormat; one that has name, isa and programs before its runs; a JSON array
// of objects of which the first has name, initial and final; or the header of a code object. It may read up to 4 MiB, and what cannot be read that far is OtherFile.
func Sniff(r io.Reader) FileKind {
	b, err := plain(r)
	if err != nil {
		return OtherFile
	}
	head, _ := b.Peek(64)
	switch {
	case bytes.HasPrefix(head, []byte("#isa")):
		return PairsFile
	case IsHSA(head):
		return HSAFile
	case bytes.HasPrefix(trimSpace(head), []byte("[")):
		return sniffVectors(json.NewDecoder(io.LimitReader(b, limit.Line)))
	case len(trimSpace(head)) == 0 || trimSpace(head)[0] != '{':
		return OtherFile
	}
	return sniffJSON(json.NewDecoder(io.LimitReader(b, limit.Line)))
}

// formats are the kinds of files that name their format.
var formats = [...]struct {
	name string
	kind FileKind
}{{ManifestFormat, ManifestFile}, {ValhallManifestFormat, ManifestFile}, {RogueManifestFormat, ManifestFile}, {GCNSceneFormat, GCNSceneFile},
	{TeslaSceneFormat, TeslaSceneFile}, {ValhallSceneFormat, ValhallSceneFile}}

// formatKind is the kind of files of a format, OtherFile if there is no such format.
func formatKind(name string) FileKind {
	for _, f := range formats {
		if f.name == name {
			return f.kind
		}
	}
	return OtherFile
}

// sniffJSON reads the keys of the first object.
func sniffJSON(d *json.Decoder) FileKind {
	if _, err := d.Token(); err != nil {
		return OtherFile
	}
	state := map[string]bool{"name": true, "isa": true, "code": true, "asm": true} // those not yet seen
	frame := map[string]bool{"name": true, "isa": true, "programs": true}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return OtherFile
		}
		if key == "runs" && len(frame) == 0 { // which may be long
			return FrameFile
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return OtherFile
		}
		if kind := formatKind(strings.Trim(string(v), `"`)); key == "format" && kind != OtherFile {
			return kind
		}
		if name, ok := key.(string); ok {
			delete(state, name)
			delete(frame, name)
		}
		if len(state) == 0 {
			return StatesFile
		}
	}
	return OtherFile
}

// sniffVectors reads the keys of the first object of an array.
func sniffVectors(d *json.Decoder) FileKind {
	for _, open := range "[{" {
		if t, err := d.Token(); err != nil || t != json.Delim(open) {
			return OtherFile
		}
	}
	named, state := false, false
	for d.More() && !(named && state) {
		key, err := d.Token()
		if err != nil {
			return OtherFile
		}
		named, state = named || key == "name", state || key == "initial" || key == "final"
		var value json.RawMessage
		if !(named && state) && d.Decode(&value) != nil { // what is cut off behind them is a file of tests all the same
			return OtherFile
		}
	}
	if !named || !state {
		return OtherFile
	}
	return VectorsFile
}
