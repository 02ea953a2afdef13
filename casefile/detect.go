package casefile

import "io"

// FileKind is the format of a file.
type FileKind uint8

const (
	OtherFile FileKind = iota // none of the below: to be skipped
	PairsFile
	StatesFile
	ManifestFile
	HSAFile
	FrameFile
	GCNSceneFile
	TeslaSceneFile
	ValhallSceneFile
	VectorsFile
	HeadersFile // expected headers of code objects, for tests of package object
)

var fileKinds = [...]string{"other", "pairs", "states", "manifest", "code object", "frame", "recorded draw", "recorded draw", "recorded draw", "vectors", "headers of code objects"}

func (k FileKind) String() string { return fileKinds[k] }

// Detect is Sniff for a file by its path. The error is an error of opening the file.
func Detect(path string) (FileKind, error) {
	h, err := LookAt(path)
	return h.Kind, err
}

// Sniff identifies a format by contents, plain or gzip: a table whose first line starts with #isa; JSON objects of
// which the first has name, isa, code and asm, or file, target and kernels; one JSON object whose format is one of
// Formats; one that has name, isa and programs before its runs; a JSON array of objects of which the first has name,
// initial and final; or the header of a code object. It may read up to 4 MiB. If the file cannot be read that far, it
// returns OtherFile. Look returns what it found.
func Sniff(r io.Reader) FileKind { return Look(r).Kind }
