// Package site writes the reference of instruction sets as a static site: a page for each instruction, encoding, kind
// of operand and op of the IR, the options, the rules, the documents of docs/reference, and a search index.
//
// Package manual generates the content from the tables and from what the rows lift to, so it cannot differ from what
// runs; the examples are run while the site is written. Nothing depends on time or place: the same tables give the same
// bytes.
//
// Pages make no network requests and need no server: links are relative, the search index is a script that is loaded
// for the first search, and everything except the search, the filter and links to common ops works without scripts.
// Other pages of the site can rely on the theme, on Frame, and on the names in site.css.
//
// book.go gathers the instructions of a set, instruction.go writes one page, diagram.go draws bits, example.go runs
// examples.
package site
