// Package gcnres interprets the image and sampler descriptors of GCN (T# and S#): textures in guest memory and how they
// are sampled. It serves launches of all kinds: [Images.Of] implements what [exec.Resources] needs.
//
// Fields and texel layouts are those of docs/reference/gcn.md 8.4. An unsupported or invalid descriptor is an error
// that names the field and its value.
package gcnres
