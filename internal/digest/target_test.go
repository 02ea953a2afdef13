package digest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/all"
)

// A target is a variant of an instruction set. All that is asked of package isa is asked here.
type target struct {
	isa, variant string
	set          *isa.Set
	index        int
}

// subjects are the variants whose text, bytes and results are held.
var subjects = []string{"gcn:gfx8", "attila:attila", "attila:sim"}

func newTarget(name string) (*target, error) {
	set, index, err := all.Lookup(name)
	if err != nil {
		return nil, err
	}
	isa, variant, _ := strings.Cut(name, ":")
	return &target{isa, variant, set, index}, nil
}

func (t *target) name() string { return t.isa + ":" + t.variant }

// text is what bytes decode to as one instruction or group, or the code of the error.
func (t *target) text(stage string, code []byte) (string, error) {
	s, ok := t.set.Stage(stage)
	if !ok {
		return "", fmt.Errorf("%s has no stage %q", t.isa, stage)
	}
	var b isa.Bundle
	if err := t.set.Decoder(t.index, s).DecodeBundle(code, 0, &b); err != nil {
		return failure(err), nil
	}
	var p isa.Printer
	return fmt.Sprintf("%d %s", b.Size(), p.AppendBundle(nil, t.set, &b)), nil
}

// bytes is what text assembles to, or the code of the error.
func (t *target) bytes(stage, text string) (string, error) {
	s, ok := t.set.Stage(stage)
	if !ok {
		return "", fmt.Errorf("%s has no stage %q", t.isa, stage)
	}
	code, err := t.set.AsmLine(t.index, s, text)
	if err != nil {
		return failure(err), nil
	}
	if _, err := hex.DecodeString(code); err != nil {
		return "", err
	}
	return code, nil
}

// list is a listing of code, exact or for reading.
func (t *target) list(code []byte, base uint64, exact bool) (string, error) {
	var b strings.Builder
	err := t.set.List(&b, code, base, isa.ListOptions{Variant: t.index, Exact: exact})
	return b.String(), err
}

// program is code that can be lifted, from address 0.
func (t *target) program(code []byte, options map[string]string) ir.Code {
	return &isa.Program{Set: t.set, Variant: t.index, Code: code, Options: options}
}

func failure(err error) string {
	var e *isa.Error
	if errors.As(err, &e) {
		return "ERROR " + e.Code
	}
	return "ERROR " + err.Error()
}
