package check

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/internal/vectors"
)

// An Other is a file without cases that was ignored.
type Other struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// foreign are formats that other commands read: such files have nothing to check.
var foreign = map[string]string{
	casefile.SceneFormat: "a scene for heddle render, which says no expected picture",
	vectors.Format:       "the index of a folder of test vectors",
}

// A stranger is a file without cases.
type stranger struct {
	casefile.Head
	name    string // without folder and .gz
	named   bool   // on the command line
	vectors bool   // the index of a folder of test vectors is in the same folder
}

// claims reports whether the file was evidently meant as a case file, so that ignoring it would silently disable a
// test.
func (s *stranger) claims() bool {
	switch {
	case s.named:
		return true
	case s.unfinished():
		return true
	case s.foreign():
		return false
	}
	return s.name == "manifest.json" || s.name == "scene.json" || strings.HasSuffix(s.name, ".jsonl") || strings.HasSuffix(s.name, ".tsv") || s.saysFormat() ||
		s.vectors && strings.HasSuffix(s.name, ".json")
}

// foreign reports whether the file is known not to be a case file.
func (s *stranger) foreign() bool {
	return s.Kind == casefile.HSAFile || s.Kind == casefile.HeadersFile || s.Key == "format" && foreign[s.Format] != "" || s.fragments()
}

// fragments reports whether the file is a part of a recorded draw: the scene in the same folder names it.
func (s *stranger) fragments() bool {
	// The file has initial and final, and lacks one other key of test vectors.
	return s.JSON && !s.Array && slices.Contains(s.keys(), "pixels") && len(s.Lacks(casefile.VectorsFile)) == 1
}

// unfinished reports whether the file is the index of a set of test vectors whose generation was interrupted.
func (s *stranger) unfinished() bool {
	return s.Key == "format" && s.Format == vectors.Format && slices.Contains(s.Keys, "unfinished")
}

// saysFormat reports whether the key format, or a misspelling of it, names a format of heddle, or nearly one.
func (s *stranger) saysFormat() bool {
	return spell.Nearest(s.Key, []string{"format"}) != "" && (strings.HasPrefix(s.Format, "heddle-") || spell.Nearest(s.Format, knownFormats()) != "")
}

// knownFormats returns the formats of heddle's files.
func knownFormats() []string { return append(casefile.Formats(), casefile.SceneFormat, vectors.Format) }

// resembles reports whether the file has some keys of a case file, or misspellings of them. A strict run does not
// ignore it.
func (s *stranger) resembles() bool {
	if !s.JSON || s.foreign() {
		return false
	}
	if key, _ := s.slip(); key != "" {
		return true
	}
	if s.Array {
		return len(s.Lacks(casefile.VectorsFile)) < 2
	}
	kind, n := s.likely()
	return n >= 2 && (kind == casefile.StatesFile || kind == casefile.ManifestFile || kind == casefile.FrameFile) || n >= 3
}

// likely returns the kind of case file that shares most keys with the object, and how many; keys that other files have,
// too, do not count.
func (s *stranger) likely() (best casefile.FileKind, most int) {
	for _, kind := range [...]casefile.FileKind{casefile.StatesFile, casefile.ManifestFile, casefile.FrameFile, casefile.GCNSceneFile, casefile.TeslaSceneFile, casefile.ValhallSceneFile} {
		n := 0
		for _, k := range knownKeys(kind) {
			if !slices.Contains(commonKeys[:], k) && slices.Contains(s.keys(), k) {
				n++
			}
		}
		if n > most {
			best, most = kind, n
		}
	}
	return best, most
}

// knownKeys returns the keys of the outer object of a kind of file.
func knownKeys(kind casefile.FileKind) []string {
	if scenes := platforms.Scenes(kind); scenes != nil {
		return scenes.Keys()
	}
	return casefile.KnownKeys(kind)
}

// commonKeys are keys of case files that any file may have.
var commonKeys = [...]string{"format", "name", "notes", "options", "reference", "size", "source", "tool", "what"}

// maxKeys limits the keys examined in a file that is no case file.
const maxKeys = 256

func (s *stranger) keys() []string { return s.Keys[:min(len(s.Keys), maxKeys)] }

// slip returns a misspelt key of the file and the key that was evidently meant; "": none.
func (s *stranger) slip() (key, meant string) {
	var want []string
	switch kind, n := s.likely(); {
	case s.Array && (len(s.Lacks(casefile.VectorsFile)) < 3):
		want = s.Lacks(casefile.VectorsFile)
	case s.Array:
		want = []string{"initial", "final"}
	case n == 0:
		want = []string{"format"}
	case kind == casefile.StatesFile || kind == casefile.FrameFile:
		want = append(s.Lacks(kind), "format")
	default:
		want = append(knownKeys(kind), "format")
	}
	for _, k := range s.keys() {
		if near := spell.Slip(k, want); near != "" && near != k && !slices.Contains(s.keys(), near) {
			return k, near
		}
	}
	return "", ""
}

// why explains why the file is no case file.
func (s *stranger) why() string {
	switch {
	case s.Kind == casefile.HSAFile:
		return "a code object, which heddle run and heddle lint take"
	case s.Kind == casefile.HeadersFile:
		return "headers of code objects"
	case s.fragments():
		return "fragments of a recorded draw"
	case s.Empty:
		return "the file is empty"
	case s.saysFormat() || s.Key == "format" && s.Format != "":
		return s.whyFormat()
	case s.JSON && s.Array:
		return cmp.Or(s.broken(), s.whyArray())
	case s.JSON:
		return cmp.Or(s.whyObject(), s.broken(), "a JSON object without a format, and no state case: that has name, isa, code and asm")
	case s.Err != nil:
		return s.Err.Error()
	case strings.HasSuffix(s.name, ".tsv"):
		return fmt.Sprintf("the first line is %q; that of a table of encodings begins with #isa", s.Line)
	}
	return "neither JSON nor a table of encodings, whose first line begins with #isa"
}

// broken describes what is wrong with the JSON.
func (s *stranger) broken() string {
	switch {
	case s.Err == nil:
		return ""
	case errors.Is(s.Err, io.EOF) || errors.Is(s.Err, io.ErrUnexpectedEOF):
		return "JSON: the file ends in the middle"
	case strings.HasPrefix(s.Err.Error(), "gzip: "):
		return s.Err.Error()
	}
	return "JSON: " + s.Err.Error()
}

// whyFormat explains why the file's format does not count.
func (s *stranger) whyFormat() string {
	known := knownFormats()
	stem := strings.TrimRight(s.Format, "0123456789")
	newest := slices.IndexFunc(known, func(f string) bool { return strings.TrimRight(f, "0123456789") == stem })
	near := spell.Nearest(s.Format, known)
	switch {
	case s.Key != "format":
		return fmt.Sprintf("no format; %q: did you mean \"format\"?", s.Key)
	case s.unfinished():
		return "the test vectors of this folder are unfinished: heddle vectors was broken off"
	case foreign[s.Format] != "":
		return foreign[s.Format]
	case newest >= 0:
		return fmt.Sprintf("format %q is not known to this build; the newest of its kind is %s", s.Format, known[newest])
	case near != "":
		return fmt.Sprintf("format %q: did you mean %q?", s.Format, near)
	}
	return fmt.Sprintf("format %q is none of %s", s.Format, strings.Join(known, ", "))
}

// whyObject explains by its keys what the object was meant to be; "" if they do not tell.
func (s *stranger) whyObject() string {
	if key, meant := s.slip(); key != "" {
		return fmt.Sprintf("%q: did you mean %q?", key, meant)
	}
	kind, n := s.likely()
	switch {
	case n == 0:
		return ""
	case kind == casefile.StatesFile:
		return "a state case has name, isa, code and asm; the first object has no " + strings.Join(s.Lacks(kind), ", ")
	case kind == casefile.FrameFile:
		return "a frame has name, isa and programs before its runs; the object has no " + strings.Join(s.Lacks(kind), ", ")
	case s.resembles():
		return fmt.Sprintf("the object has keys of a %s, and no format", kind)
	}
	return ""
}

// whyArray explains why an array is not a file of test vectors.
func (s *stranger) whyArray() string {
	if len(s.Keys) == 0 {
		return "the array has no test vectors"
	}
	if key, meant := s.slip(); key != "" {
		return fmt.Sprintf("%q: did you mean %q?", key, meant)
	}
	return "a test vector has name, initial and final; the first object of the array has no " + strings.Join(s.Lacks(casefile.VectorsFile), ", ")
}

// plainName returns the name of a file without folder and .gz.
func plainName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".gz") }
