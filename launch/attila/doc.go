// Package attila says how programs of isa/attila begin and what they find: constants in bank 0 of the constant space,
// texture units and attribute streams by their numbers, waves of one vertex, one quad of fragments or four quads.
//
// Source: docs/reference/attila.md 3, 9, 10 and 14.
package attila
