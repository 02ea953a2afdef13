package digest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A target is a variant of an instruction set. All calls of package isa are here.
type target struct {
	isa, variant string
	*isa.Target
}

// subjects are the variants whose text, bytes and results are recorded.
var subjects = []string{"gcn:gfx8", "attila:attila", "attila:sim"}

func newTarget(name string) (*target, error) {
	tg, err := sets.Lookup(name)
	if err != nil {
		return nil, err
	}
	isa, variant, _ := strings.Cut(name, ":")
	return &target{isa, variant, tg}, nil
}

func (t *target) name() string { return t.isa + ":" + t.variant }

// text returns the text of bytes that decode as one instruction or group, or the code of the error.
func (t *target) text(stage string, code []byte) (string, error) {
	s, ok := t.Arch.Stage(stage)
	if !ok {
		return "", fmt.Errorf("%s has no stage %q", t.isa, stage)
	}
	var b isa.Bundle
	if err := t.Move(t.Target.Variant, s).DecodeBundle(code, 0, &b); err != nil {
		return failure(err), nil
	}
	return fmt.Sprintf("%d %s", b.Size(), t.Print(nil, &b)), nil
}

// bytes returns the bytes that text assembles to, or the code of the error.
func (t *target) bytes(stage, text string) (string, error) {
	s, ok := t.Arch.Stage(stage)
	if !ok {
		return "", fmt.Errorf("%s has no stage %q", t.isa, stage)
	}
	code, err := asm.Line(t.Move(t.Target.Variant, s), text)
	if err != nil {
		return failure(err), nil
	}
	if _, err := hex.DecodeString(code); err != nil {
		return "", err
	}
	return code, nil
}

// list returns a listing of code, exact or for reading.
func (t *target) list(code []byte, base uint64, exact bool) (string, error) {
	var b strings.Builder
	err := asm.List(&b, t.Target, code, base, asm.ListOptions{Exact: exact})
	return b.String(), err
}

// program is code that can be lifted, from address 0.
func (t *target) program(code []byte, options map[string]string) (ir.Code, error) {
	tg, err := t.With(0, options)
	return &isa.Program{Target: tg, Code: code}, err
}

func failure(err error) string {
	var e *isa.Error
	if errors.As(err, &e) {
		return "ERROR " + e.Code
	}
	return "ERROR " + err.Error()
}
