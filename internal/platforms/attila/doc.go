// Package attila defines the initial state of programs of isa/attila and their resources: constants in bank 0 of the
// constant space, texture units and attribute streams by number, and waves of one vertex, one quad of fragments or four
// quads.
//
// Source: docs/reference/attila.md 3, 9, 10 and 14.
package attila
