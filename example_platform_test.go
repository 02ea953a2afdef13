package heddle_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/launch"
)

// All launches of a manifest, whatever instruction set its code is of, and whether they leave what the manifest
// expects.
func ExampleISA_Platform() {
	m, err := casefile.ReadManifestFile("cases/kernels/gcn/saxpy/manifest.json")
	if err != nil {
		log.Fatal(err)
	}
	platform := heddle.MustFind("gcn").Platform()
	buffers, results, err := platform.RunManifest(context.Background(), m, &m.Variants[0], launch.Settings{Engine: heddle.Reference()})
	if err != nil {
		log.Fatal(err)
	}
	y, _ := m.Buffer("y")
	want, err := m.ExpectData(y)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(results), "launch;", "y as expected:", bytes.Equal(buffers["y"], want))
	_, err = platform.Register(0, "s20") // registers have the names that state cases and debuggers use
	fmt.Println(platform.Cases.Stages, err)
	_, err = heddle.MustFind("valhall").Platform().Register(0, "s20")
	fmt.Println(err)
	// Output:
	// 1 launch; y as expected: true
	// [raw] <nil>
	// valhall: no register "s20"
}

// Engines by name. Which of those that make machine code are there depends on the machine; these two always are.
func ExampleEngine() {
	for _, name := range []string{"reference", "portable", "warp"} {
		e, err := heddle.Engine(name)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(e.Name())
	}
	// Output:
	// reference
	// portable
	// no engine "warp"; there are auto, reference, portable, jit
}
