// Package ref is the reference engine: it defines what a block does, op by op and lane by lane. Package lanewise
// executes the ops; this package walks through blocks.
//
// A block is prepared once for all runners (see code). Other engines are compared with this one, so it is kept
// simple. Its speed comes from preparation: loops do not allocate and do not decide anything per iteration.
package ref
