package casefile

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/object"
)

// A Head is what the beginning of a file reveals about its format.
type Head struct {
	Kind  FileKind
	Empty bool
	Line  string   // the first line, at most 80 bytes
	JSON  bool     // it begins like a JSON object or array
	Array bool     // of objects; Keys are those of the first
	Keys  []string // of the first object, as far as they were read
	// Format is the value of the key format, or of the first key with a string that begins like the name of a format;
	// Key is that key.
	Format, Key string
	Err         error // why reading stopped: a broken gzip stream, invalid JSON
	seen        markSet
}

// Look is Sniff that also returns what it found. It may read up to 4 MiB.
func Look(r io.Reader) Head {
	b, err := plain(r)
	if err != nil {
		return Head{Err: err}
	}
	start, err := b.Peek(512)
	text := bytes.TrimLeft(start, " \t\r\n")
	h := Head{Empty: len(text) == 0 && err == io.EOF, Line: firstLine(start)}
	if err != io.EOF {
		h.Err = err
	}
	switch {
	case bytes.HasPrefix(start, []byte("#isa")):
		h.Kind = PairsFile
	case object.IsHSA(start):
		h.Kind = HSAFile
	case len(text) > 0 && (text[0] == '[' || text[0] == '{'):
		h.JSON, h.Array = true, text[0] == '['
		d := json.NewDecoder(io.LimitReader(b, limit.Line))
		if h.Array {
			h.array(d)
		} else {
			h.object(d)
		}
	}
	return h
}

// LookAt is Look for a file by its path. The error is an error of opening the file.
func LookAt(path string) (Head, error) {
	f, err := limit.Open(path)
	if err != nil {
		return Head{}, err
	}
	defer f.Close()
	return Look(f), nil
}

// firstLine returns the first line of a text, truncated if it is long.
func firstLine(text []byte) string {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return strings.ToValidUTF8(string(line[:min(len(line), 80)]), "\uFFFD")
}

// formats are the kinds of files with a key format.
var formats = [...]struct {
	name string
	kind FileKind
}{{ManifestFormat, ManifestFile}, {ValhallManifestFormat, ManifestFile}, {RogueManifestFormat, ManifestFile}, {TeslaManifestFormat, ManifestFile}, {"heddle-gcn-scene-1", GCNSceneFile},
	{"heddle-tesla-scene-1", TeslaSceneFile}, {"heddle-valhall-scene-1", ValhallSceneFile}}

// Formats returns the values of the key format in files with cases.
func Formats() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// formatKind returns the kind of files of a format, OtherFile if there is no such format.
func formatKind(name string) FileKind {
	for _, f := range formats {
		if f.name == name {
			return f.kind
		}
	}
	return OtherFile
}

// formatPrefix is the prefix of the names of all formats.
const formatPrefix = "heddle-"

// A markSet has a bit for each of marks.
type markSet uint16

// marks are the keys that identify objects without a format.
var marks = [...]string{"name", "isa", "code", "asm", "programs", "file", "target", "kernels", "initial", "final"}

const (
	markName markSet = 1 << iota
	markISA
	markCode
	markAsm
	markPrograms
	markFile
	markTarget
	markKernels
	markInitial
	markFinal
)

// Keys that all objects of a kind without a format have.
const (
	stateMarks   = markName | markISA | markCode | markAsm
	frameMarks   = markName | markISA | markPrograms // before runs, which may be long
	headersMarks = markFile | markTarget | markKernels
	vectorMarks  = markName | markInitial | markFinal
)

// object reads the keys of the first object until they identify its kind.
func (h *Head) object(d *json.Decoder) {
	if _, h.Err = d.Token(); h.Err != nil {
		return
	}
	for d.More() {
		key, value, err := member(d, func(key string) bool { return key == "runs" && h.has(frameMarks) })
		switch {
		case err != nil:
			h.Err = err
			return
		case value == nil:
			h.Kind = FrameFile
			return
		}
		h.add(key)
		text := strings.Trim(string(value), `"`)
		if key == "format" || h.Key == "" && strings.HasPrefix(text, formatPrefix) && value[0] == '"' {
			h.Key, h.Format = key, text
		}
		switch kind := formatKind(text); {
		case key == "format" && kind != OtherFile:
			h.Kind = kind
			return
		case h.has(stateMarks):
			h.Kind = StatesFile
			return
		case h.has(headersMarks):
			h.Kind = HeadersFile
			return
		}
	}
	_, h.Err = d.Token()
}

// array reads the keys of the first object of an array.
func (h *Head) array(d *json.Decoder) {
	if _, h.Err = d.Token(); h.Err != nil || !d.More() {
		return
	}
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		h.Err = err
		return
	}
	for d.More() {
		// A file of tests that is truncated after name and initial or final is still recognised.
		key, value, err := member(d, func(key string) bool { return h.has(markName) && (key == "initial" || key == "final") })
		if err != nil {
			h.Err = err
			return
		}
		h.add(key)
		if value == nil || key == "name" && h.seen&(markInitial|markFinal) != 0 {
			h.Kind = VectorsFile
			return
		}
	}
}

// add adds a key of the object.
func (h *Head) add(key string) {
	h.Keys = append(h.Keys, key)
	if i := slices.Index(marks[:], key); i >= 0 {
		h.seen |= 1 << i
	}
}

// has reports whether the object has all of the keys.
func (h *Head) has(keys markSet) bool { return h.seen&keys == keys }

// member reads the next key of an object and its value, which is nil if it is not needed.
func member(d *json.Decoder, last func(key string) bool) (key string, value json.RawMessage, err error) {
	t, err := d.Token()
	if err != nil {
		return "", nil, err
	}
	if key, _ = t.(string); last(key) {
		return key, nil, nil
	}
	err = d.Decode(&value)
	return key, value, err
}

// Lacks returns the keys that the first object lacks among those that identify a kind of file without a format.
func (h *Head) Lacks(kind FileKind) (keys []string) {
	var want markSet
	switch kind {
	case StatesFile:
		want = stateMarks
	case FrameFile:
		want = frameMarks
	case VectorsFile:
		want = vectorMarks
	}
	for i, k := range marks {
		if (want&^h.seen)>>i&1 != 0 {
			keys = append(keys, k)
		}
	}
	return keys
}

// KnownKeys returns the keys of the outer object of a kind of file; nil: files of the kind are not JSON objects with
// cases, or recorded draws, whose formats the platforms of their instruction sets have.
func KnownKeys(kind FileKind) []string {
	switch kind {
	case StatesFile:
		return jsonfile.Keys(StateCase{})
	case ManifestFile:
		return jsonfile.Keys(Manifest{})
	case FrameFile:
		return jsonfile.Keys(Frame{})
	}
	return nil
}
