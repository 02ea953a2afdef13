package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/launch"
)

// A fit says which flags of a command go with which kinds of input: a flag that would have no effect is an error.
type fit struct {
	kinds []fitKind
	flags map[string]string // letters of the kinds that a flag goes with; every: any input
	like  *fit              // rules for flags without a row; every: all kinds there
}

// A fitKind is a kind of input, or of another request to a command.
type fitKind struct {
	letter byte
	what   string // as in "--grid goes with a code object"
}

const every = "*"

// Classes of programs without a descriptor, by what their instruction set has.
const (
	everyProgram   = 'C'
	groupedProgram = 'G' // workgroup memory
	abiProgram     = 'A' // several calling conventions
)

// programLetters returns the letters of the kinds of a class: a digit for each instruction set.
func programLetters(class byte) (letters string) {
	for i, p := range programs() {
		if class == everyProgram || class == groupedProgram && p.Compute.GroupMemory != "" || class == abiProgram && len(p.Compute.ABIs) > 0 {
			letters += string(rune('0' + i))
		}
	}
	return letters
}

// programs returns the instruction sets that have compute programs without a descriptor.
func programs() (list []*launch.Platform) {
	for _, p := range platforms.All() {
		if p.Compute != nil {
			list = append(list, p)
		}
	}
	return list
}

// programKind returns the letter of programs of an instruction set.
func programKind(set string) byte {
	return byte('0' + slices.IndexFunc(programs(), func(p *launch.Platform) bool { return p.ISA == set }))
}

// all returns the kinds with one for the programs of each instruction set.
func (f *fit) all() (kinds []fitKind) {
	for _, k := range f.kinds {
		if k.letter != everyProgram {
			kinds = append(kinds, k)
			continue
		}
		for i, p := range programs() {
			kinds = append(kinds, fitKind{byte('0' + i), "a program of " + p.ISA})
		}
	}
	return kinds
}

// runFit is the fit of run.
var runFit = fit{
	kinds: []fitKind{{'m', "a manifest"}, {'o', "a code object"}, {'p', "a program in sections"}, {'g', "bare code of gcn"},
		{letter: everyProgram}, {'k', "a CUDA file"}, {'a', "a dump of RADV"}},
	flags: map[string]string{
		"kernel": "opak", "grid": "opgCak", "block": "opgCak", "arg": "opgCk",
		"out": every, "print": every, "png": every, "plot": every, "expect": "opgCak", "ulp": "opgCak", "abs": "opgCak", "save": "opgCak",
		"kernarg": "opgCk", "buf": "opgCk", "sgpr": "opg", "vgpr": "opg", "desc": "opg",
		"isa": "opgCak", "dialect": "pgCk", "option": "gCk", "lds": "gGk", "scratch": "gGak", "abi": "Aak", "set": "a", "push": "a",
		"variant": "m", "code-object": "m", "no-png": "m", "allow-outside": "m", "dir": "m",
		"engine": every, "stats": every, "workers": every, "relaxed": every, "exact-counts": every, "fidelity": every, "max-steps": every,
		"sanitize": every, "races": every, "waits": every, "uninit": every, "suppress": every, "report": every, "baseline": every, "write-baseline": every,
		"check": every, "fail-on": every, "timeout": every, "json": every, "trace": every, "break": every, "dump": every,
	},
}

// stepFit is the fit of step, which accepts the inputs of run, and scenes.
var stepFit = fit{
	kinds: append(runFit.kinds[:len(runFit.kinds):len(runFit.kinds)], fitKind{'d', "a scene or recorded draw"}),
	like:  &runFit,
	flags: map[string]string{
		"variant": "md", "allow-outside": "md",
		"engine": every, "max-steps": every, "timeout": every, "json": every, "trace": every, "break": every, "dump": every,
	},
}

// profileFit is the fit of profile, which accepts the inputs of run, and profiles.
var profileFit = fit{
	kinds: append(runFit.kinds[:len(runFit.kinds):len(runFit.kinds)], fitKind{'j', "a profile of --json"}, fitKind{'d', "a scene or recorded draw"}),
	like:  &runFit,
	flags: map[string]string{
		"variant": "md", "allow-outside": "md", "engine": "mopgCkad", "max-steps": "mopgCkad", "timeout": "mopgCkad",
		"hot": every, "by": every, "pprof": every, "folded": every, "csv": every, "html": every, "json": every, "compare": every,
		"timing": "mopgCkad", "chip": "mopgCkad", "figure": "mopgCkad", "perfetto": "mopgCkad",
	},
}

// gpuFit is the fit of gpu.
var gpuFit = fit{
	kinds: []fitKind{{'p', "a program"}, {'c', "--chips"}},
	flags: map[string]string{
		"chip": "p", "chips": "c", "engine": "p", "workers": "p", "hang": "p", "timeout": "p", "trace": "p", "stats": "p", "json": every,
		"sanitize": "p", "races": "p", "waits": "p", "uninit": "p", "fidelity": "p", "capture": "p", "capture-most": "p", "dap": "p",
		"profile": "p", "hot": "p", "by": "p", "pprof": "p", "folded": "p", "csv": "p", "html": "p",
		"timing": "p", "figure": "p", "perfetto": "p",
	},
}

// fits are the commands whose flags depend on their input, with all their flags.
var fits = map[string]fit{
	"run": runFit, "step": stepFit, "profile": profileFit, "gpu": gpuFit,
	"render": {
		kinds: []fitKind{{'s', "a scene"}, {'d', "a recorded draw"}, {'f', "--fragment"}},
		flags: map[string]string{
			"fragment": "f", "isa": "f", "size": "f", "time": "f", "const": "f", "variant": "d", "target": "d", "allow-outside": "sd",
			"out": every, "diff": every, "diff-out": every, "tolerance": every,
			"engine": every, "workers": every, "max-steps": every, "timeout": every, "json": every, "fidelity": every,
			"sanitize": every, "races": every, "waits": every, "uninit": every, "fail-on": every, "suppress": every, "report": every, "baseline": every,
			"write-baseline": every, "trace": every, "break": every, "dump": every,
		},
	},
	"dis": {
		kinds: []fitKind{{'l', "--lines"}, {'b', "bare code"}, {'o', "a code object"}, {'s', "--as-source"}, {'d', "--descriptor"},
			{'g', "--cfg of a code object"}, {'n', "--scan"}},
		flags: map[string]string{
			"isa": "lbosdg", "stage": "lbosdg", "dialect": "lbosdg", "option": "lbosdg",
			"lines": "l", "raw": "b", "base": "b", "short": "bo", "plain": "bo", "as-source": "s", "json": "bodn", "scan": "n",
			"lines-of-source": "o", "symbol": "ogd", "start": "bog", "stop": "bog", "no-fold": "bo", "descriptor": "d", "cfg": "bg", "include": "bodn", "jobs": "bod",
		},
	},
	"asm": {
		kinds: []fitKind{{'l', "--lines"}, {'b', "bare instructions"}, {'p', "a program in sections"}},
		flags: map[string]string{
			"isa": every, "stage": "lb", "dialect": every, "option": "lb", "include": "bp", "jobs": "bp",
			"lines": "l", "out": "bp", "hex": "b", "no-lint": every, "json": "bp",
		},
	},
	"lint": {
		kinds: []fitKind{{'t', "assembly"}, {'b', "bare code"}, {'o', "a code object"}, {'l', "--list-rules"}, {'e', "--explain"}},
		flags: map[string]string{
			"isa": every, "stage": "tbo", "raw": "b", "text": "t", "rule": "tbo", "ignore": "tbo", "dialect": "tbo", "option": "tbo",
			"severity": "tbo", "fail-on": "tbo", "baseline": "tbo", "write-baseline": "tbo", "list-rules": "l", "explain": "e", "format": every, "json": every, "include": "tbo", "jobs": "tbo",
		},
	},
	"check": {
		kinds: []fitKind{{'t', "text"}, {'j', "--json and --format"}},
		flags: map[string]string{
			"isa": every, "variant": every, "run": every, "flags": every, "engine": every, "workers": every, "include": every, "max-failures": every,
			"allow-outside": every, "sanitize": every, "races": every, "waits": every, "uninit": every, "fail-on": every, "suppress": every, "report": every, "baseline": every, "write-baseline": every, "strict": every, "coverage": every, "coverage-from": every, "verbose": "t", "quiet": every, "format": every, "json": "j",
		},
	},
	"eval": {
		kinds: []fitKind{{'t', "text"}, {'j', "--json"}},
		flags: map[string]string{
			"isa": every, "stage": every, "dialect": every, "option": every, "mem": every, "lds": every, "mode": every, "engine": every, "max-steps": every,
			"lanes": "t", "name": "j", "json": "j",
		},
	},
	"explain": {flags: map[string]string{"isa": every, "stage": every, "dialect": every, "option": every, "mode": every, "ir": every, "json": every}},
	"vectors": {
		kinds: []fitKind{{'o', "one mnemonic on standard output"}, {'d', "--out"}, {'j', "--json alone"}},
		flags: map[string]string{"isa": every, "count": every, "seed": every, "out": "d", "gzip": "d", "json": "dj", "quiet": every},
	},
	"lsp":     {flags: map[string]string{"isa": every, "stage": every, "dialect": every, "option": every, "delay": every, "stdio": every}},
	"build":   {flags: map[string]string{"isa": every, "out": every, "json": every}},
	"kernels": {flags: map[string]string{"isa": every, "json": every, "kernel": every}},
	"dap":     {flags: map[string]string{"listen": every, "allow-remote": every, "allow-write": every}},
	"fidelity": {
		kinds: []fitKind{{'t', "assembly"}, {'b', "bare code"}, {'o', "a code object"}},
		flags: map[string]string{"isa": every, "stage": every, "raw": "b", "text": "t", "dialect": every, "option": every, "mode": every, "json": every, "include": every, "jobs": every},
	},
	"cost": {flags: map[string]string{"isa": every, "symbol": every, "stage": every, "raw": every, "text": every, "chip": every, "waves": every, "set": every, "figures": every, "chips": every, "json": every}},
	"spec": {
		kinds: []fitKind{{'t', "the summary"}, {'j', "--json"}, {'s', "--schema"}},
		flags: map[string]string{"isa": "tj", "json": "j", "brief": "j", "schema": "s"},
	},
	"isas":    {flags: map[string]string{"json": every, "markdown": every}}, // kong makes them mutually exclusive
	"docs":    {flags: map[string]string{"isa": every, "no-live": every, "json": every}},
	"serve":   {flags: map[string]string{"addr": every, "no-live": every}},
	"version": {flags: map[string]string{"json": every}},
	"help":    {}, "completion": {}, "man": {},
}

// watches are the flags that make a run have findings, and a draw.
const (
	watches      = "sanitize check races waits uninit"
	watchesDraws = "sanitize uninit"
)

// needed lists flags that have no effect without another flag, or together with one.
var needed = []struct{ command, flag, with, without string }{
	{"check", "variant", "isa", ""},
	{"render", "tolerance", "diff", ""},
	{"profile", "pprof", "", "compare"}, // these have no place for it
	{"profile", "folded", "", "compare"},
	{"profile", "csv", "", "compare"},
	{"profile", "hot", "", "compare json"},
	{"profile", "chip", "timing perfetto", ""},
	{"profile", "figure", "timing perfetto", ""},
	{"profile", "perfetto", "", "compare"},
	{"run", "dir", "", "no-png"},
	{"run", "fidelity", "", watches}, // what watches runs other code
	{"run", "fail-on", watches, ""},
	{"check", "coverage", "", watches}, // what watches is other code
	{"check", "coverage-from", "coverage", ""},
	{"check", "fail-on", watches, ""},
	{"check", "suppress", watches, ""},
	{"check", "report", watches, ""},
	{"check", "baseline", watches, ""},
	{"check", "write-baseline", watches, ""},
	{"run", "suppress", watches, ""},
	{"run", "report", watches, ""},
	{"run", "baseline", watches, ""},
	{"run", "write-baseline", watches, ""},
	{"render", "fidelity", "", watchesDraws},
	{"render", "fail-on", watchesDraws, ""},
	{"render", "suppress", watchesDraws, ""},
	{"render", "report", watchesDraws, ""},
	{"render", "baseline", watchesDraws, ""},
	{"render", "write-baseline", watchesDraws, ""},
	{"step", "fail-on", watches, ""},
	{"step", "suppress", watches, ""},
	{"step", "report", watches, ""},
	{"step", "baseline", watches, ""},
	{"step", "write-baseline", watches, ""},
}

// flagsOf returns the distinct names of the flags set on a command line, in order.
func flagsOf(k *kong.Context) (names []string) {
	for _, p := range k.Path {
		if p.Flag == nil || p.Resolved {
			continue
		}
		on, is := k.FlagValue(p.Flag).(bool)
		if (on || !is) && !slices.Contains(names, p.Flag.Name) {
			names = append(names, p.Flag.Name)
		}
	}
	return names
}

// given reports whether the command line has a flag.
func (a *app) given(flag string) bool { return slices.Contains(a.flags, flag) }

// needs reports the first flag that has no effect because of the other flags.
func (a *app) needs(command string) error {
	for _, n := range needed {
		switch {
		case n.command != command || !a.given(n.flag):
		case n.with != "" && a.one(n.with) == "":
			first, _, _ := strings.Cut(n.with, " ")
			return fmt.Errorf("--%s goes with --%s, which is missing", n.flag, first)
		case a.one(n.without) != "":
			return fmt.Errorf("--%s does not go with --%s", n.flag, a.one(n.without))
		}
	}
	return nil
}

// one returns the first flag of a list, separated by spaces, that the command line has; "": none.
func (a *app) one(list string) string {
	for _, flag := range strings.Fields(list) {
		if a.given(flag) {
			return flag
		}
	}
	return ""
}

// fits reports the flags that do not go with the input of the command. name, if not "", is the user's name of the
// input.
func (a *app) fits(command string, kind byte, name string) error {
	f := fits[command]
	if name != "" {
		name += " is "
	}
	for _, flag := range a.flags {
		of := f.of(flag)
		if of == "" || of == every || strings.IndexByte(of, kind) >= 0 {
			continue
		}
		if name != "" {
			return hinted{fmt.Errorf("%s%s: --%s does not go with it", name, f.what(kind), flag), "--" + flag + " goes with " + f.list(of)}
		}
		return hinted{fmt.Errorf("%s: --%s does not go with %s", command, flag, f.what(kind)), "--" + flag + " goes with " + f.list(of)}
	}
	return nil
}

// of returns the kinds that a flag goes with, every, or "" for a flag without a row.
func (f *fit) of(flag string) string {
	letters, ok := f.flags[flag]
	if !ok && isSourceFlag(flag) {
		return every
	}
	if ok || f.like == nil {
		for _, class := range [...]byte{everyProgram, groupedProgram, abiProgram} {
			letters = strings.ReplaceAll(letters, string(rune(class)), programLetters(class))
		}
		return letters
	}
	if letters = f.like.of(flag); letters == every {
		letters = ""
		for _, k := range f.like.all() {
			letters += string(rune(k.letter))
		}
	}
	return letters
}

func (f *fit) what(kind byte) string {
	kinds := f.all()
	return kinds[slices.IndexFunc(kinds, func(k fitKind) bool { return k.letter == kind })].what
}

// list names kinds in words.
func (f *fit) list(letters string) string {
	var words []string
	for i := range letters {
		words = append(words, f.what(letters[i]))
	}
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// formOf returns the kind of output for a command that prints text or JSON.
func formOf(json bool) byte {
	if json {
		return 'j'
	}
	return 't'
}

// A hinted is an error with a hint.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }
