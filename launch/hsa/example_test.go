package hsa_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/heddle-gpu/heddle/exec/ref"
	"github.com/heddle-gpu/heddle/launch/hsa"
	"github.com/heddle-gpu/heddle/object"
)

// saxpy, which clang compiled from OpenCL C, on five floats: y = 10 x + y.
func ExampleLaunch() {
	data, err := os.ReadFile("../../cases/kernels/gcn/saxpy/saxpy.gfx803.hsaco")
	if err != nil {
		log.Fatal(err)
	}
	o, err := object.ReadHSA(data)
	if err != nil {
		log.Fatal(err)
	}
	module, err := hsa.Load(o, nil)
	if err != nil {
		log.Fatal(err)
	}
	values := []float32{1, 2, 3, 4, 0.5}
	m := hsa.NewMemory()
	x, errX := m.Alloc("x", 4*len(values))
	y, errY := m.Alloc("y", 4*len(values))
	if err := errors.Join(errX, errY); err != nil {
		log.Fatal(err)
	}
	if _, err := binary.Encode(x.Data, binary.LittleEndian, values); err != nil {
		log.Fatal(err)
	}
	k := hsa.Kernel{Module: module, Name: "saxpy", Memory: m, Grid: [3]uint32{64}, Block: [3]uint32{64},
		Args: []hsa.Arg{hsa.Buf(x), hsa.Buf(y), hsa.F32(10), hsa.I32(5)}}
	if _, err := hsa.Launch(context.Background(), k, hsa.Config{Engine: ref.New()}); err != nil {
		log.Fatal(err)
	}
	_, err = binary.Decode(y.Data, binary.LittleEndian, values)
	fmt.Println(values, err)
	// Output:
	// [10 20 30 40 5] <nil>
}
