package isa

import "github.com/heddle-gpu/heddle/internal/spell"

// Nearest is the word of the list closest to w, or nothing if all are far.
func Nearest(w string, list []string) string { return spell.Nearest(w, list) }
