// Package gcnres says what the image and sampler descriptors of GCN (T# and S#) stand for: textures in guest memory and
// how they are sampled. It is for launches of all kinds: [Images.Of] is what an [exec.Resources] asks.
//
// The fields and the places of texels are those of docs/reference/gcn.md 8.4. A descriptor that asks for what is not
// built, or that makes no sense, is an error that says which field holds what.
package gcnres
