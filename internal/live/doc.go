// Package live is what makes pages of the site run heddle: scripts and styles for the widgets, the page to play with, and package web/wasm as
// WebAssembly, packed into a script that pages load when somebody first runs something.
//
// The WebAssembly is in no repository. `make wasm` builds it into the folder wasm/, which a binary then embeds, as those of releases do. A binary
// without it builds it with the go command from the source of the very same version, once, and keeps it among the user's caches; see Find.
package live
