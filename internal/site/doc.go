// Package site writes the reference of instruction sets as a static site: a page for each instruction, encoding, kind of operand and op of the IR,
// the options, the rules, the documents of docs/reference, and an index to search.
//
// All of it is made from the tables and from what the rows lift to, with package manual, so that it cannot differ from what runs; the examples are
// run while the site is written. Nothing in it depends on time or place: the same tables give the same bytes.
//
// Pages ask nothing of any network, and need no server: links are relative, the search index is a script that is loaded when somebody searches, and all
// but the search, the filter and links to common ops works without scripts. The theme, Frame and the names in site.css are what other pages of the site can rely on.
//
// What a page is made of: book.go gathers the instructions of a set, instruction.go writes one, diagram.go draws bits, example.go runs it.
package site
