//go:build cgo

package main

// #define HEDDLE_NO_PROTOTYPES
// #include "heddle.h"
import "C"

import (
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/isa"
)

//export heddle_abi
func heddle_abi() C.uint32_t { return C.HEDDLE_ABI }

// version is the library's version information from the Go tools.
var version = sync.OnceValue(func() string {
	v, revision := "devel", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" && info.Main.Version != "(devel)" {
			v = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = " " + s.Value
			}
		}
	}
	return v + revision + " " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
})

//export heddle_version
func heddle_version() *C.char { return name(version()) }

//export heddle_status_name
func heddle_status_name(status C.heddle_status) *C.char {
	list := [...]string{
		C.HEDDLE_OK: "HEDDLE_OK", C.HEDDLE_EINVALID: "HEDDLE_EINVALID", C.HEDDLE_EHANDLE: "HEDDLE_EHANDLE", C.HEDDLE_EBUSY: "HEDDLE_EBUSY",
		C.HEDDLE_ENOTFOUND: "HEDDLE_ENOTFOUND", C.HEDDLE_ETEXT: "HEDDLE_ETEXT", C.HEDDLE_ECODE: "HEDDLE_ECODE",
		C.HEDDLE_EUNSUPPORTED: "HEDDLE_EUNSUPPORTED", C.HEDDLE_EFAULT: "HEDDLE_EFAULT", C.HEDDLE_ELIMIT: "HEDDLE_ELIMIT",
		C.HEDDLE_ETIMEOUT: "HEDDLE_ETIMEOUT", C.HEDDLE_ELAUNCH: "HEDDLE_ELAUNCH", C.HEDDLE_ESTOPPED: "HEDDLE_ESTOPPED",
		C.HEDDLE_EINTERNAL: "HEDDLE_EINTERNAL",
	}
	if status < 0 || int(status) >= len(list) {
		return name("?")
	}
	return name(list[status])
}

// variants are the variants of all sets, in the order of their numbers.
var variants = sync.OnceValue(heddle.List)

//export heddle_isa_count
func heddle_isa_count() C.size_t { return C.size_t(len(variants())) }

// opened stores the handle of an object in out.
func opened(out *C.uint64_t, object any) error {
	*out = objects.open(object)
	return nil
}

//export heddle_isa_at
func heddle_isa_at(index C.size_t, out *C.heddle_isa, e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		switch n := len(variants()); {
		case out == nil:
			return null("isa")
		case uint64(index) >= uint64(n):
			return invalid("set %d; there are %d, from 0", uint64(index), n)
		}
		return opened(out, variants()[index])
	})
}

//export heddle_isa_find
func heddle_isa_find(called *C.char, out *C.heddle_isa, e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		switch {
		case called == nil:
			return null("name")
		case out == nil:
			return null("isa")
		}
		a, err := heddle.Find(word(called))
		if err != nil {
			return fail(C.HEDDLE_ENOTFOUND, err)
		}
		return opened(out, a)
	})
}

//export heddle_isa_with
func heddle_isa_with(h C.heddle_isa, config *C.heddle_isa_config, out *C.heddle_isa, e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		a, err := get[*heddle.ISA](h)
		if err != nil {
			return err
		}
		c, err := sized(config, "heddle_isa_config")
		if err != nil {
			return err
		}
		if out == nil {
			return null("changed")
		}
		options, err := words(c.options, c.option_count, "options")
		if err != nil {
			return err
		}
		set := isa.Config{Variant: word(c.variant), Stage: word(c.stage), Dialect: word(c.dialect), Options: map[string]string{}}
		for _, o := range options {
			key, value, ok := strings.Cut(o, "=")
			if !ok {
				return invalid("option %q: want name=value", o)
			}
			set.Options[key] = value
		}
		if a, err = a.With(set); err != nil {
			return fail(C.HEDDLE_ENOTFOUND, err)
		}
		return opened(out, a)
	})
}

//export heddle_isa_describe
func heddle_isa_describe(h C.heddle_isa, out **C.heddle_isa_info, e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		a, err := get[*heddle.ISA](h)
		if err != nil {
			return err
		}
		return result(out, func(b *block, i *C.heddle_isa_info) error {
			t := a.Target()
			v := &t.Variants[t.Variant]
			stage := ""
			if len(t.Stages) > 0 {
				stage = t.Stages[t.Stage]
			}
			i.name, i.set, i.variant, i.doc, i.stage = b.text(t.Set.Name+":"+v.Name), b.text(t.Set.Name), b.text(v.Name), b.text(v.Doc), b.text(stage)
			i.unit, i.longest, i.lanes = C.uint32_t(t.Unit), C.uint32_t(t.Longest), C.uint32_t(t.Machine().Widths[0])
			i.aliases, i.alias_count = b.texts(v.Aliases)
			i.stages, i.stage_count = b.texts(t.Stages)
			i.dialects, i.dialect_count = b.texts(t.Dialects)
			var options []string
			for n := range t.Options {
				options = append(options, t.Options[n].Name+"="+t.Options[n].Values[t.Option(n)])
			}
			i.options, i.option_count = b.texts(options)
			return nil
		})
	})
}
