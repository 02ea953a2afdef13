package main

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// interleaved moves flags before the arguments of a command whose last argument is a list, because kong ends the list
// at the first flag. If a word is no flag of the command the order is not changed; kong reports it.
func interleaved(model *kong.Application, words []string) []string {
	cmd := commandOf(model, words)
	if cmd == nil || len(cmd.Positional) == 0 || !cmd.Positional[len(cmd.Positional)-1].IsSlice() {
		return words
	}
	flags, args := []string{words[0]}, []string(nil)
	for i := 1; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--":
			return append(append(append(flags, "--"), args...), words[i+1:]...)
		case w == "-" || !strings.HasPrefix(w, "-"):
			args = append(args, w)
			continue
		}
		f, value := flagOf(cmd, model, w)
		if f == nil {
			return words
		}
		flags = append(flags, w)
		if !value && !f.IsBool() && !f.IsCounter() && i+1 < len(words) {
			i++
			flags = append(flags, words[i])
		}
	}
	return append(flags, args...)
}

// commandOf returns the command that the first word names; nil: none.
func commandOf(model *kong.Application, words []string) *kong.Node {
	for _, n := range model.Children {
		if len(words) > 0 && n.Name == words[0] {
			return n
		}
	}
	return nil
}

// flagOf returns the flag that a word names, and whether its value is in the word.
func flagOf(cmd *kong.Node, model *kong.Application, w string) (f *kong.Flag, value bool) {
	name, _, value := strings.Cut(strings.TrimLeft(w, "-"), "=")
	for _, f := range append(append([]*kong.Flag{}, cmd.Flags...), model.Flags...) {
		if strings.HasPrefix(w, "--") {
			if f.Name == name || slices.Contains(f.Aliases, name) {
				return f, value
			}
			continue
		}
		if f.Short != 0 && strings.HasPrefix(w[1:], string(f.Short)) {
			return f, len(w) > 1+len(string(f.Short)) && !f.IsBool()
		}
	}
	return nil, false
}
