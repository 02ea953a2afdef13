// Package live makes pages of the site run heddle: it has the scripts and styles of the widgets, the play page, and
// package internal/web/wasm as WebAssembly, packed into a script that pages load when the user first runs something.
//
// The WebAssembly is not in the repository. `make wasm` builds it into the folder wasm/, which is embedded in binaries
// built afterwards, as in those of releases. A binary without it builds it once with the go command from the source of
// the same version, and keeps it in the user's cache; see Find.
package live
