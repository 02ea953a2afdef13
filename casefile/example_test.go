package casefile_test

import (
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle/casefile"
)

// A kernel with what it takes to run it: its launches and buffers.
func ExampleReadManifestFile() {
	m, err := casefile.ReadManifestFile("../cases/kernels/gcn/saxpy/manifest.json")
	if err != nil {
		log.Fatal(err)
	}
	l := m.Launches[0]
	fmt.Println(l.Kernel, "on", l.Grid, "in groups of", l.Block)
	for i := range m.Buffers {
		fmt.Println(m.Buffers[i].Name, "has", m.Buffers[i].Bytes, "bytes")
	}
	// Output:
	// saxpy on [1024 1 1] in groups of [64 1 1]
	// x has 4000 bytes
	// y has 4000 bytes
}
