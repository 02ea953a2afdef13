// Package cp executes the command streams of AMD GPUs of gfx6, gfx7 and gfx8: the packets that change registers, memory
// and the flow of the stream itself. Dispatches and draws are passed to a [Device], with the registers as they are.
//
// Memory is coherent and packets are executed one after the other, so that flushes and waits for earlier work have
// nothing to do. What is not built is an error that names the packet, register, event or value; it is never skipped.
// Packets and fields are those of package pm4, which says where they are described.
package cp
