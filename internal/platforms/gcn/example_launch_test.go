package gcn_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// saxpy, which clang compiled from OpenCL C, on five floats: y = 10 x + y.
func ExampleLaunch() {
	data, err := os.ReadFile("../../../cases/kernels/gcn/saxpy/saxpy.gfx803.hsaco")
	if err != nil {
		log.Fatal(err)
	}
	o, err := object.ReadHSA(data)
	if err != nil {
		log.Fatal(err)
	}
	module, err := gcn.Load(o, nil)
	if err != nil {
		log.Fatal(err)
	}
	values := []float32{1, 2, 3, 4, 0.5}
	m := gcn.NewMemory()
	x, errX := m.Alloc("x", 4*len(values))
	y, errY := m.Alloc("y", 4*len(values))
	if err := errors.Join(errX, errY); err != nil {
		log.Fatal(err)
	}
	if _, err := binary.Encode(x.Data, binary.LittleEndian, values); err != nil {
		log.Fatal(err)
	}
	k := gcn.Kernel{Module: module, Name: "saxpy", Memory: m, Grid: [3]uint32{64}, Block: [3]uint32{64},
		Args: []gcn.Arg{gcn.Buf(x), gcn.Buf(y), gcn.F32(10), gcn.I32(5)}}
	if _, err := gcn.Launch(context.Background(), k, launch.Settings{Engine: ref.New()}); err != nil {
		log.Fatal(err)
	}
	_, err = binary.Decode(y.Data, binary.LittleEndian, values)
	fmt.Println(values, err)
	// Output:
	// [10 20 30 40 5] <nil>
}
