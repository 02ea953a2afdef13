package object

import "io"

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
	HeadersFile // what headers of code objects say: tests of this package read it
)

var fileKinds = [...]string{"other", "pairs", "states", "manifest", "code object", "frame", "recorded draw", "recorded draw", "recorded draw", "vectors", "headers of code objects"}

func (k FileKind) String() string { return fileKinds[k] }

// Detect is Sniff for a file by its path. The error is of opening the file.
func Detect(path string) (FileKind, error) {
	h, err := LookAt(path)
	return h.Kind, err
}

// Sniff decides by contents, plain or gzip: a table whose first line starts with #isa; JSON objects of which the first
// has name, isa, code and asm, or file, target and kernels; one JSON object whose format is one of Formats; one that
// has name, isa and programs before its runs; a JSON array of objects of which the first has name, initial and final;
// or the header of a code object. It may read up to 4 MiB, and what cannot be read that far is OtherFile. Look says
// what it saw.
func Sniff(r io.Reader) FileKind { return Look(r).Kind }
