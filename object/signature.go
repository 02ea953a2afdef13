package object

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/internal/spell"
)

// Arguments returns the arguments of a kernel that its source declares, without hidden ones; nil if the file has no
// metadata for it.
func (k *Kernel) Arguments() (list []Arg) {
	if k.Meta == nil {
		return nil
	}
	for _, a := range k.Meta.Args {
		if !a.Hidden() {
			list = append(list, a)
		}
	}
	return list
}

// Signature returns the kernel's declaration in its source, as far as the metadata have it: dot(global const float *a,
// uint n). An argument without a name is argN, one without a type a number of bytes. A kernel without metadata is
// NAME(...).
func (k *Kernel) Signature() string {
	if k.Meta == nil {
		return k.Name + "(...)"
	}
	var list []string
	for i, a := range k.Arguments() {
		list = append(list, a.declaration(i))
	}
	return k.Name + "(" + strings.Join(list, ", ") + ")"
}

// UnnamedHint explains how arguments get names.
const UnnamedHint = "the file has no names of arguments: clang writes them with -g, and of OpenCL C with -cl-kernel-arg-info"

// Unnamed reports whether the file has arguments but no names of them: see UnnamedHint.
func (k *Kernel) Unnamed() bool {
	args := k.Arguments()
	for i := range args {
		if args[i].Name != "" {
			return false
		}
	}
	return len(args) > 0
}

// declaration returns argument i as the source declares it.
func (a *Arg) declaration(i int) string {
	name := a.Name
	if name == "" {
		name = fmt.Sprintf("arg%d", i)
	}
	switch a.ValueKind {
	case "global_buffer", "dynamic_shared_pointer":
		return a.pointer() + name
	case "image":
		return strings.TrimSpace(a.Access+" "+a.typeName()) + " " + name
	}
	return a.typeName() + " " + name
}

// pointer returns the text before the name of an argument that is an address.
func (a *Arg) pointer() string {
	space := a.AddressSpace
	if space == "" && a.ValueKind == "dynamic_shared_pointer" {
		space = "local"
	}
	words := []string{}
	for _, w := range []struct {
		on   bool
		word string
	}{{space != "", space}, {a.Const && space != "constant", "const"}, {a.Volatile, "volatile"}} {
		if w.on {
			words = append(words, w.word)
		}
	}
	to, is := strings.CutSuffix(a.TypeName, "*")
	if !is || to == "" {
		to = "void"
	}
	words = append(words, strings.TrimSpace(to))
	star := " *"
	if a.Restrict {
		star = " *restrict "
	}
	return strings.Join(words, " ") + star
}

func (a *Arg) typeName() string {
	if a.TypeName != "" {
		return a.TypeName
	}
	return spell.Count(a.Size, "byte")
}
