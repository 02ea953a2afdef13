// Package layering holds the rules about the source tree as a whole, and the tests that keep them: who may
// import whom, which outside modules are used where, and how long files and functions may be.
package layering

// A row says what packages may import, besides the standard library. A name is a folder of the module; * stands
// for any one folder name, and in a list $ for the folder that the row's * stood for. The first row that fits
// a package counts.
type row struct{ pkg, may string }

// imports is the table of design-notes.md section 4, with ir/pass for exec and launch. What a package's tests import is held to it too.
var imports = []row{
	{"bits", ""},
	{"num", "exec/jit/cpu"},
	{"loc", "srcinfo"},
	{"mem", "num exec/jit/cpu"},
	{"internal/limit", ""}, // of what is read
	{"internal/spell", ""}, // words that were misspelt, and numbers of things
	{"srcinfo", ""},
	{"object", "internal/limit internal/spell loc srcinfo"},
	{"ir", "num loc"},
	{"ir/pass", "ir num"},
	{"isa", "bits ir num internal/spell loc"},
	{"asm", "bits isa loc"},
	{"codeobj", "asm object isa isa/gcn ir loc"},
	{"isa/all", "isa isa/*"},
	{"isa/*", "isa bits ir num"},
	{"exec", "ir ir/pass mem num loc"},
	{"exec/exectest", "exec ir ir/pass mem num internal/irgen"}, // for tests of engines
	{"exec/all", "exec exec/*"},
	{"exec/lanewise", "exec ir mem"},
	{"exec/ref", "exec exec/lanewise ir"},
	{"exec/portable", "exec exec/lanewise ir ir/pass mem num"},
	{"exec/jit", "exec exec/jit/* ir ir/pass mem num"},
	{"exec/jit/template", "exec exec/portable exec/jit/* ir num"},
	{"exec/jit/cpu", ""},
	{"exec/jit/x86", "exec/jit/cpu"}, // the assembler knows no engine
	{"exec/jit/code", "exec/jit/cpu"},
	{"exec/jit/emit", "exec/jit/cpu exec/jit/x86 ir num"},
	{"exec/jit/emul", "exec/jit/code exec/jit/cpu exec/jit/x86 num"},      // for tests
	{"exec/jit/emulated", "exec/jit/cpu exec/jit/emul exec/jit/template"}, // for tests
	{"exec/*", "exec ir ir/pass mem num"},
	{"launch", "internal/spell exec mem ir ir/pass object loc"},
	{"draw", "exec exec/jit/cpu ir ir/pass num"},
	{"launch/all", "launch draw object launch/*"},
	{"launch/gcn", "internal/spell launch launch/gcnres draw exec mem object ir num isa isa/gcn"},
	{"launch/hsa", "internal/spell launch launch/gcnres draw exec mem object ir num isa isa/gcn loc"},
	{"launch/*", "internal/spell launch draw exec mem object ir num isa isa/$"},
	{"internal/check", "internal/limit internal/many internal/spell internal/vectors loc sanitize asm launch launch/all exec exec/* object isa isa/all ir mem num"},
	{"internal/vectors", "internal/eval internal/limit internal/manual internal/meaning internal/spell launch launch/all exec exec/* object isa isa/all bits ir mem num"},
	{"internal/eval", "internal/manual internal/meaning asm launch launch/all exec exec/* object isa isa/all ir mem num"},
	{"internal/manual", "internal/meaning internal/reference isa isa/all bits ir num"},
	{"internal/render", "internal/limit asm draw launch launch/all exec exec/* object isa isa/all ir mem num loc"},
	{"internal/many", "internal/limit"},
	{"internal/linter", "internal/limit asm lint launch/hsa object isa isa/all isa/gcn ir loc"},
	{"internal/disasm", "asm lint loc object isa"},
	{"internal/radv", "exec exec/* launch/hsa object"},
	{"internal/contents", "internal/elem internal/eval internal/limit num"},
	{"internal/elem", "internal/meaning num"},
	{"internal/picture", "internal/elem internal/limit object"},
	{"internal/guess", "lint isa isa/all bits ir"},
	{"internal/flowchart", "lint isa"},
	{"internal/meaning", "ir num"},
	{"internal/stepping", "exec isa ir mem loc"},
	{"internal/reference", ""},
	{"docs/reference", ""},
	{"examples", "object"},
	{"lint", "isa ir ir/pass loc"},
	{"sanitize", "exec ir ir/pass mem loc"},
	{"prof", "exec ir ir/pass mem"},
	{"debug", "internal/limit internal/stepping exec exec/ref isa ir mem num loc srcinfo"},
	{"debug/dap", "debug exec ir"},
	{"web", "asm codeobj internal/disasm internal/eval internal/guess internal/manual internal/meaning internal/render isa isa/all launch/all exec exec/all ir num object"},
	{"web/wasm", "web"},
	{"internal/live", "web"},
	{"internal/live/make", "internal/live"},
	{"lsp", "asm codeobj internal/eval internal/linter internal/manual internal/reference lint object isa isa/all ir"},
	{"internal/fidelity", "internal/manual internal/reference exec isa ir loc"},
	{"internal/spec/decoder", ""}, // made from a document alone
	{"internal/spec", "internal/manual internal/reference isa ir bits"},
	{"internal/*", "everything"},
	{".", "public internal/eval internal/manual internal/limit"}, // the tools that it fronts
	{"cmd/*", "public " + tools},
}

// testImports is what tests may import in addition; all of them also helpers under internal/.
var testImports = []row{
	{"isa", "asm"},     // the shortest way to write code
	{"asm", "isa/all"}, // listings of all sets
	{"isa/*", "asm"},
	{"launch", "exec/ref exec/all exec/exectest"}, // a launch needs an engine
	{"launch/*", "exec/ref exec/exectest asm"},
	{"exec", "exec/ref exec/exectest"},
	{"exec/jit/code", "exec/jit/x86"}, // code to call
	{"exec/jit/emit", "exec/jit/code exec/jit/emul"},
	{"exec/jit/template", "exec/ref exec/exectest mem"},
	{"exec/*", "exec/*"},
	{"internal/meaning", "isa isa/all"},
	{"internal/reference", "isa isa/all"},
	{"codeobj", "launch/hsa exec/ref lint isa/all"}, // what is assembled is run and linted
	{"internal/stepping", "asm launch exec/all isa/all"},
	{"debug", "asm launch exec/all isa/all"}, // runs to look at
	{"debug/dap", "mem"},                     // to look at
	{"internal/guess", "object"},             // code of which it is known what it is
	{"internal/spec", "isa/all"},
	{"internal/fidelity", "internal/check exec/all isa/all launch launch/all object"},
	{"internal/flowchart", "asm isa/all"},
	{"internal/live", "isa isa/all"}, // pages of a set
}

// exampleImports is what example_test.go may import beyond that, and no other test: an example is a whole program, which needs code
// of some instruction set.
var exampleImports = []row{
	{"asm", "isa/all"},
	{"exec", "asm isa isa/gcn"},
	{"launch", "asm isa isa/gcn"},
	{"lint", "asm isa/all"},
	{"sanitize", "asm isa/all exec/ref launch/hsa"}, // what races is a launch
}

// unshown are the public packages without an example in their documentation, and why. One that has an example must be struck out.
var unshown = []struct{ pkg, why string }{
	{"debug/dap", "its users are editors"},
	{"exec/exectest", "tests of engines are its only users"},
	{"exec/jit", "engines are found by name in exec/all, which says whether the machine can run them"},
	{"exec/jit/*", "what makes machine code for engines is theirs alone"},
	{"docs/reference", "it is the pages of its folder"},
	{"exec/lanewise", "engines are made of it"},
	{"exec/portable", "exec/all has it on every machine; the rest of it is for engines"},
	{"launch/gcnres", "launch/hsa and launch/gcn find images by it"},
}

// tools are the work of the command's subcommands: internal, since nobody else is promised anything of them.
const tools = "internal/check internal/console internal/clang internal/contents internal/disasm internal/elem internal/eval internal/fidelity internal/flowchart internal/guess internal/kernels internal/limit internal/linter internal/live internal/manual internal/many internal/meaning internal/picture internal/radv internal/reference internal/render internal/site internal/spec internal/spell internal/stepping internal/vectors"

// testOnly are packages that nothing but tests may import, the tools aside.
var testOnly = []string{"internal/*", "exec/exectest"}

// private are packages that only those of the list may import, tests included: what writes and calls machine code of the host stays with the
// engine that does. What the processor has is asked wherever there is assembly that not every one has.
var private = []row{
	{"exec/jit/cpu", "exec/jit exec/jit/* mem draw num"},
	{"exec/jit/emulated", "internal/differ"},
	{"exec/jit/*", "exec/jit exec/jit/*"},
}

// modules says which outside modules a package may import.
var modules = []row{
	{"object", "github.com/tinylib/msgp"},
	{"internal/picture", "golang.org/x/image"},
	{"internal/site", "github.com/yuin/goldmark"},
	{"internal/live", "github.com/rogpeppe/go-internal"},
	{"debug/dap", "github.com/google/go-dap"},
	{"cmd/heddle", "github.com/alecthomas/kong github.com/vbauerster/mpb/v8"},
}

// testModules may be imported by any test.
const testModules = "github.com/chromedp github.com/google/go-cmp github.com/rogpeppe/go-internal github.com/santhosh-tekuri/jsonschema/v6 github.com/sourcegraph/jsonrpc2 golang.org/x/net pgregory.net/rapid"

// debts are edges that break the table for now. A debt that is paid must be struck out.
var debts = map[string]string{}

// The limits of style.md: code is read a screen at a time.
const (
	maxFile = 600 // lines
	maxFunc = 60
)
