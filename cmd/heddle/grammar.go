package main

import (
	"reflect"
	"strings"
)

// wholeGrammar are the commands that read the whole grammar.
var wholeGrammar = map[string]bool{"help": true, "completion": true, "man": true}

// grammarFor returns a pointer to the grammar of a command line: the whole of cli, or for a line that begins with a
// command the part of it with that command. Most of the time of short commands went into the help texts and defaults
// of all the others.
func grammarFor(args []string) any {
	whole := reflect.TypeFor[cli]()
	if len(args) == 0 {
		return new(cli)
	}
	var fields []reflect.StructField
	found := false
	for i := range whole.NumField() {
		f := whole.Field(i)
		_, command := f.Tag.Lookup("cmd")
		if command && strings.ToLower(f.Name) != args[0] {
			continue
		}
		found = found || command && !wholeGrammar[args[0]]
		fields = append(fields, f)
	}
	if !found {
		return new(cli)
	}
	return reflect.New(reflect.StructOf(fields)).Interface()
}

// mostOf returns the value of --max-input in a grammar.
func mostOf(grammar any) int64 { return reflect.ValueOf(grammar).Elem().FieldByName("MaxInput").Int() }
