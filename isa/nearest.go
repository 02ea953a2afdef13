package isa

import "github.com/heddle-gpu/heddle/internal/spell"

// Nearest returns the word of the list closest to w, or "" if none is close.
func Nearest(w string, list []string) string { return spell.Nearest(w, list) }
