package check

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/internal/vectors"
	"github.com/heddle-gpu/heddle/object"
)

// An Other is a file without cases that was passed over.
type Other struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// foreign are formats that other commands read: there is nothing in such files to check.
var foreign = map[string]string{
	object.SceneFormat: "a scene for heddle render, which says no expected picture",
	vectors.Format:     "the index of a folder of test vectors",
}

// A stranger is a file that holds no cases.
type stranger struct {
	object.Head
	name    string // without folder and .gz
	named   bool   // on the command line
	vectors bool   // the index of a folder of test vectors lies beside it
}

// claims is whether the file must have been meant as a case file, so that passing over it would turn a test off without a word.
func (s *stranger) claims() bool {
	switch {
	case s.named:
		return true
	case s.unfinished():
		return true
	case s.foreign():
		return false
	}
	return s.name == "manifest.json" || strings.HasSuffix(s.name, ".jsonl") || strings.HasSuffix(s.name, ".tsv") || s.saysFormat() ||
		s.vectors && strings.HasSuffix(s.name, ".json")
}

// foreign is whether the file is known to be something else than a case file.
func (s *stranger) foreign() bool {
	return s.Kind == object.HSAFile || s.Kind == object.HeadersFile || s.Key == "format" && foreign[s.Format] != ""
}

// unfinished is whether the file is the index of test vectors the making of which was broken off.
func (s *stranger) unfinished() bool {
	return s.Key == "format" && s.Format == vectors.Format && slices.Contains(s.Keys, "unfinished")
}

// saysFormat is whether the key format, or one that is nearly called so, names a format of heddle's, or nearly one.
func (s *stranger) saysFormat() bool {
	return spell.Nearest(s.Key, []string{"format"}) != "" && (strings.HasPrefix(s.Format, "heddle-") || spell.Nearest(s.Format, knownFormats()) != "")
}

// knownFormats are the formats of heddle's files.
func knownFormats() []string { return append(object.Formats(), object.SceneFormat, vectors.Format) }

// resembles is whether the file has some keys of a case file. A strict run does not pass over it.
func (s *stranger) resembles() bool {
	for _, keys := range [][]string{{"isa", "code", "asm"}, {"variants", "launches", "buffers"}} {
		n := 0
		for _, k := range keys {
			if slices.Contains(s.Keys, k) {
				n++
			}
		}
		if n > 1 && !s.foreign() {
			return true
		}
	}
	return false
}

// why says why the file is no case file.
func (s *stranger) why() string {
	switch {
	case s.Kind == object.HSAFile:
		return "a code object, which heddle run and heddle lint take"
	case s.Kind == object.HeadersFile:
		return "headers of code objects"
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

// broken is what is wrong with the JSON.
func (s *stranger) broken() string {
	switch {
	case s.Err == nil:
		return ""
	case errors.Is(s.Err, io.EOF) || errors.Is(s.Err, io.ErrUnexpectedEOF):
		return "JSON: the file ends in the middle"
	}
	return "JSON: " + s.Err.Error()
}

// whyFormat is why the format that the file names does not count.
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

// whyObject is what the keys say was meant; "": nothing.
func (s *stranger) whyObject() string {
	lacks, meant := s.Lacks(object.StatesFile), []string{"format"}
	some := len(lacks) < 3 // of the keys are there
	if some {
		meant = append(meant, lacks...)
	}
	for _, k := range s.Keys {
		if near := spell.Slip(k, meant); near != "" && near != k {
			return fmt.Sprintf("%q: did you mean %q?", k, near)
		}
	}
	if some {
		return fmt.Sprintf("a state case has name, isa, code and asm; the first object has no %s", strings.Join(lacks, ", "))
	}
	return ""
}

// whyArray is why an array is no file of test vectors.
func (s *stranger) whyArray() string {
	if len(s.Keys) == 0 {
		return "the array has no test vectors"
	}
	lacks := s.Lacks(object.VectorsFile)
	for _, k := range s.Keys {
		if near := spell.Slip(k, lacks); near != "" {
			return fmt.Sprintf("%q: did you mean %q?", k, near)
		}
	}
	return fmt.Sprintf("a test vector has name, initial and final; the first object of the array has no %s", strings.Join(lacks, ", "))
}

// plainName is the name of a file without folder and .gz.
func plainName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".gz") }
