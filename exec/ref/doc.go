// Package ref is the reference engine: the definition of what a block does, op by op and lane by
// lane. It holds no arithmetic of its own: a pure op is its row's meaning applied to each lane.
//
// Values are vectors of 64 numbers ([ir.Vec]). A value that is one a wave is in element 0, and a
// lane reads it through an index mask of 0. A varying i1 is a lane mask in element 0; where a
// meaning wants conditions lane by lane, the mask is spread over a vector of zeros and ones before,
// and gathered after.
//
// A block is prepared once for all runners (see code). Other engines are compared with this one,
// so it is kept plain; what speed it has comes from preparing, from loops without allocation, and
// from leaving nothing to decide inside them.
package ref
