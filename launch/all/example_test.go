package all_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec/ref"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/launch/all"
)

// All launches of a manifest, whatever instruction set its code is of, and whether they leave what the manifest
// expects.
func ExampleLookup() {
	m, err := casefile.ReadManifestFile("../../cases/kernels/gcn/saxpy/manifest.json")
	if err != nil {
		log.Fatal(err)
	}
	platform := all.Lookup("gcn")
	buffers, results, err := platform.RunManifest(context.Background(), m, &m.Variants[0], launch.Settings{Engine: ref.New()})
	if err != nil {
		log.Fatal(err)
	}
	y, _ := m.Buffer("y")
	want, err := m.ExpectData(y)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(results), "launch;", "y as expected:", bytes.Equal(buffers["y"], want))
	// Output:
	// 1 launch; y as expected: true
}

// Names of registers, as state cases have them, are those of the set.
func ExampleLookup_register() {
	for _, name := range []string{"gcn", "valhall", "ptx"} {
		platform := all.Lookup(name)
		if platform == nil {
			fmt.Println(name, "is none that can be run")
			continue
		}
		_, err := platform.Register(0, "s20")
		fmt.Println(name, platform.Cases.Stages, err)
	}
	// Output:
	// gcn [raw] <nil>
	// valhall [compute raw] valhall: no register "s20"
	// ptx is none that can be run
}
