package cp

import (
	"fmt"

	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/pm4"
)

// A Ring is a queue of the device.
type Ring uint8

// The rings.
const (
	Graphics Ring = iota
	Compute
	DMA
)

func (r Ring) String() string {
	switch r {
	case Graphics:
		return "graphics"
	case Compute:
		return "compute"
	case DMA:
		return "DMA"
	}
	return fmt.Sprintf("ring %d", uint8(r))
}

// A NotBuilt says that something which a stream asks for is not built.
type NotBuilt struct{ What string }

func (e *NotBuilt) Error() string { return e.What + " is not built" }

// A Fault is an error in a command stream, or in what one of its packets does.
type Fault struct {
	Ring   Ring
	IB     uint64 // address of the indirect buffer
	At     uint64 // of the packet
	Depth  int    // 0 for buffers of the submission, 1 for those that they call
	Packet string // its text, "" if there is no packet
	Err    error
}

func (e *Fault) Error() string {
	text := e.Packet
	if text != "" {
		text += ": "
	}
	return fmt.Sprintf("%s ring, indirect buffer %#x, packet at %#x: %s%v", e.Ring, e.IB, e.At, text, e.Err)
}

func (e *Fault) Unwrap() error { return e.Err }

// mostText limits the text of a packet in faults.
const mostText = 400

// textOf returns the text of a packet for faults.
func textOf(gen int, p pm4.Packet) string {
	text := pm4.Describe(gen, p)[0]
	if len(text) > mostText {
		text = text[:mostText] + " …"
	}
	return text
}
