// Package ref is the reference engine: the definition of what a block does, op by op and lane by
// lane. What an op does is in package lanewise; this is the way through blocks.
//
// A block is prepared once for all runners (see code). Other engines are compared with this one,
// so it is kept plain; what speed it has comes from preparing, from loops without allocation, and
// from leaving nothing to decide inside them.
package ref
