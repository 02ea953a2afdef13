// Package layering holds the rules about the source tree as a whole, and the tests that check them: which packages may
// import which, which outside modules are used where, and how long files and functions may be.
package layering

// A row lists the packages that packages may import, besides the standard library. A name is a folder of the module; *
// matches any one folder name, and $ in a list stands for the name that * matched. The first matching row applies.
type row struct{ pkg, may string }

// imports is the table of design-notes.md section 4, with internal/pass for exec and launch. Imports of tests are
// checked, too.
var imports = []row{
	{"bits", ""},
	{"num", "internal/jit/cpu"},
	{"loc", "srcinfo"},
	{"mem", "num internal/jit/cpu"},
	{"internal/limit", ""}, // limits on input
	{"internal/spell", ""}, // misspelt words, and counts of things
	{"internal/jsonfile", "internal/limit internal/spell"}, // JSON read by tags
	{"srcinfo", ""},
	{"object", "internal/limit internal/spell loc srcinfo"},
	{"casefile", "internal/jsonfile internal/limit internal/spell loc object"},
	{"ir", "num loc"},
	{"internal/pass", "ir num"},
	{"internal/shadow", "ir mem"},
	{"internal/rewrite", "ir"},
	{"isa", "bits ir num internal/spell loc"},
	{"asm", "bits isa loc"},
	{"codeobj", "asm object isa isa/gcn ir loc"},
	{"internal/sets", "isa isa/*"},
	{"isa/rogue", "isa bits ir num isa/rogue/internal/*"},
	{"isa/*", "isa bits ir num"},
	{"isa/rogue/internal/group", "isa bits"},
	{"isa/rogue/internal/listing", "isa isa/rogue/internal/group"},
	{"exec", "ir internal/pass mem num loc"},
	{"internal/exectest", "exec ir internal/pass mem num internal/irgen"}, // for tests of engines
	{"internal/browsertest", ""},                                          // for tests of pages
	{"internal/engines", "exec internal/ref internal/portable internal/jit internal/jit/cpu"},
	{"internal/lanewise", "exec ir mem"},
	{"internal/ref", "exec internal/lanewise ir"},
	{"internal/lower", "exec ir mem num"},
	{"internal/portable", "exec internal/lanewise internal/lower ir internal/pass mem num"},
	{"internal/jit", "exec internal/jit/* ir internal/pass mem num"},
	{"internal/jit/gen", "exec internal/lower internal/portable internal/jit/* ir num"},
	{"internal/jit/cpu", ""},
	{"internal/jit/x86", "internal/jit/cpu"}, // the assembler is independent of engines
	{"internal/jit/code", "internal/jit/cpu"},
	{"internal/jit/emit", "internal/jit/cpu internal/jit/x86 ir num"},
	{"internal/jit/emul", "internal/jit/code internal/jit/cpu internal/jit/x86 num"},      // for tests
	{"internal/jit/emulated", "exec internal/jit/cpu internal/jit/emul internal/jit/gen"}, // for tests
	{"launch", "internal/spell exec mem ir internal/pass casefile object loc"},
	{"draw", "exec internal/jit/cpu ir internal/pass num"},
	{"internal/platforms", "launch draw casefile internal/platforms/*"},
	{"internal/platforms/gcn", "internal/jsonfile internal/limit internal/spell launch draw exec mem casefile object ir num isa isa/gcn loc"},
	{"internal/platforms/*", "internal/jsonfile internal/limit internal/spell launch draw exec mem casefile ir num isa isa/$"},
	{"internal/check", "draw profile internal/coverage internal/limit internal/many internal/spell internal/vectors loc sanitize asm launch internal/platforms exec internal/ref internal/engines casefile isa internal/sets ir mem num"},
	{"internal/vectors", "internal/eval internal/limit internal/manual internal/meaning internal/spell launch internal/platforms exec internal/ref internal/engines casefile isa internal/sets bits ir mem num"},
	{"internal/eval", "internal/manual internal/meaning asm launch internal/platforms exec internal/ref internal/engines casefile isa internal/sets ir mem num"},
	{"internal/manual", "internal/meaning internal/reference isa internal/sets bits ir num"},
	{"internal/render", "internal/limit asm draw launch internal/platforms exec internal/ref internal/engines casefile isa internal/sets ir mem num loc"},
	{"internal/many", "internal/limit"},
	{"internal/linter", "internal/limit asm lint sanitize internal/platforms/gcn object isa internal/sets isa/gcn ir loc"},
	{"internal/disasm", "asm lint loc object isa"},
	{"internal/radv", "exec internal/ref internal/engines launch internal/platforms/gcn object"},
	{"internal/contents", "internal/elem internal/eval internal/limit num"},
	{"internal/elem", "internal/meaning num"},
	{"internal/picture", "internal/elem internal/limit casefile"},
	{"internal/guess", "lint isa internal/sets bits ir"},
	{"internal/flowchart", "lint isa"},
	{"internal/meaning", "ir num"},
	{"internal/stepping", "exec isa ir mem loc"},
	{"internal/reference", ""},
	{"docs/reference", ""},
	{"examples", "casefile"},
	{"lint", "isa ir internal/pass loc"},
	{"sanitize", "isa internal/spell exec ir internal/pass internal/rewrite internal/shadow mem num loc"},
	{"profile", "internal/rewrite exec ir mem"},
	{"debug", "sanitize internal/limit internal/spell internal/stepping exec internal/ref isa ir mem num loc srcinfo"},
	{"internal/timing", "profile internal/costs internal/chips internal/spell isa ir"},
	{"internal/profiles", "profile internal/timing internal/chips internal/spell debug exec isa ir loc"},
	{"internal/coverage", "internal/profiles internal/sets internal/spell profile debug isa ir loc"},
	{"internal/dap", "debug exec ir"},
	{"internal/web", "asm codeobj internal/disasm internal/eval internal/guess internal/manual internal/meaning internal/render isa internal/sets internal/platforms exec internal/engines ir num casefile object"},
	{"internal/web/wasm", "internal/web"},
	{"internal/live", "internal/web"},
	{"internal/live/make", "internal/live"},
	{"internal/lsp", "asm codeobj internal/eval internal/linter internal/manual internal/reference lint object isa internal/sets ir"},
	{"internal/fidelity", "internal/manual internal/reference exec isa ir loc"},
	{"internal/spec/decoder", ""}, // works from a document alone
	{"internal/spec", "internal/manual internal/reference isa ir bits"},
	{"internal/gpu/host", ""},
	{"internal/gpu/drm", "internal/gpu/host mem"},
	{"internal/gpu/amdgpu/pm4", ""}, // command streams as data
	{"internal/gpu/amdgpu/chip", "internal/spell internal/gpu/amdgpu/pm4"},
	{"internal/gpu/amdgpu/cp", "internal/gpu/amdgpu/pm4"},
	{"internal/gpu/gputest", "internal/gpu/* internal/gpu/amdgpu/* debug internal/check internal/engines internal/platforms/gcn internal/profiles casefile launch mem sanitize"}, // programs of others
	{"internal/gpu/amdgpu", "internal/gpu/host internal/gpu/drm internal/gpu/amdgpu/* internal/platforms/gcn casefile debug launch exec mem object isa isa/gcn ir loc"},
	{"internal/*", "everything"},
	{".", "public internal/engines internal/platforms/gcn internal/sets internal/eval internal/limit internal/manual internal/pass internal/platforms internal/ref"}, // the tools that it exports
	{"cmd/*", "public " + tools},
}

// testImports lists what tests may import in addition; all tests may also import helpers under internal/.
var testImports = []row{
	{"isa", "asm"},           // the shortest way to write code
	{"asm", "internal/sets"}, // listings of all sets
	{"lint", "internal/sets"},
	{"isa/*", "asm"},
	{"isa/rogue/internal/*", "isa/rogue"}, // rows to decode with
	{"launch", "internal/ref internal/engines internal/exectest"}, // a launch needs an engine
	{"internal/platforms/*", "internal/ref internal/exectest asm"},
	{"exec", "internal/ref internal/exectest"},
	{"internal/jit/code", "internal/jit/x86"}, // code to call
	{"internal/jit/emit", "internal/jit/code internal/jit/emul"},
	{"internal/jit/gen", "internal/ref internal/exectest mem"},
	{"internal/meaning", "isa internal/sets"},
	{"internal/reference", "isa internal/sets"},
	{"codeobj", "casefile launch internal/platforms/gcn internal/ref lint internal/sets"}, // assembled code is run and linted
	{"internal/stepping", "asm launch internal/engines internal/sets"},
	{"debug", "asm launch internal/engines internal/sets"}, // runs to debug
	{"internal/lanewise", "internal/ref"},
	{"internal/shadow", "exec internal/ref num"},
	{"sanitize", ". launch"}, // programs of sets
	{"profile", ". launch"},
	{"internal/timing", ". launch mem internal/profiles"},
	{"internal/profiles", ". launch casefile internal/browsertest internal/platforms internal/render"},
	{"internal/coverage", ". launch profile internal/browsertest"},
	{"internal/render", "sanitize"},
	{"internal/lower", "internal/exectest"},
	{"internal/portable", "internal/ref"},
	{"internal/dap", "mem"},               // for inspection
	{"internal/guess", "casefile object"}, // known code
	{"internal/gpu/amdgpu", "asm internal/engines"},
	{"internal/spec", "internal/sets"},
	{"internal/fidelity", "internal/check internal/engines internal/sets launch internal/platforms casefile"},
	{"internal/flowchart", "asm internal/sets"},
	{"internal/live", "isa internal/sets"}, // pages of a set
}

// exampleImports lists what example_test.go may import in addition to other tests: an example is a whole program, which
// needs code of some instruction set.
var exampleImports = []row{
	{"asm", "."},
	{"exec", ". asm isa isa/gcn"},
	{"launch", ". asm isa isa/gcn"},
	{"debug", "."},
	{"lint", ". asm"},
	{"sanitize", ". launch"}, // the race is in a launch
}

// unshown are the public packages without an example in their documentation, with the reason. Packages that have an
// example must be removed from the list.
var unshown = []struct{ pkg, why string }{
	{"docs/reference", "it is the pages of its folder"},
}

// tools are the packages that implement the command's subcommands: internal, because they have no compatibility
// promise.
const tools = "internal/platforms/gcn internal/sets internal/engines internal/platforms internal/check internal/chips internal/console internal/coverage internal/clang internal/contents internal/costs internal/dap internal/disasm internal/elem internal/eval internal/fidelity internal/flowchart internal/guess internal/jsonfile internal/kernels internal/limit internal/linter internal/live internal/lsp internal/manual internal/many internal/meaning internal/picture internal/profiles internal/radv internal/reference internal/render internal/site internal/spec internal/spell internal/stepping internal/timing internal/vectors internal/gpu/* internal/gpu/amdgpu/*"

// parts are internal packages that the library is made of: its engines, the passes over IR, servers.
const parts = "internal/sets internal/pass internal/rewrite internal/shadow internal/ref internal/engines internal/platforms internal/lanewise internal/lower internal/portable internal/jit internal/jit/* internal/lsp internal/dap internal/web internal/gpu/amdgpu/*"

// testOnly are packages that only tests may import, except tools and parts.
var testOnly = []string{"internal/*", "internal/gpu/amdgpu/*"}

// private are packages that only the listed ones may import, tests included: only the engine may write and call machine
// code of the host. Features of the processor are queried wherever assembly depends on them.
var private = []row{
	{"internal/jit/cpu", "internal/jit internal/jit/* mem draw num"},
	{"internal/jit/emulated", "internal/differ"},
	{"internal/jit/*", "internal/jit internal/jit/*"},
}

// modules says which outside modules a package may import.
var modules = []row{
	{"object", "github.com/tinylib/msgp"},
	{"internal/gpu/*", "golang.org/x/sys"},
	{"internal/picture", "golang.org/x/image"},
	{"internal/site", "github.com/yuin/goldmark"},
	{"internal/live", "github.com/rogpeppe/go-internal"},
	{"internal/dap", "github.com/google/go-dap"},
	{"internal/profiles", "github.com/google/pprof/profile"},
	{"internal/browsertest", "github.com/chromedp"},
	{"cmd/heddle", "github.com/alecthomas/kong github.com/vbauerster/mpb/v8"},
}

// testModules may be imported by any test.
const testModules = "github.com/chromedp github.com/google/go-cmp github.com/rogpeppe/go-internal github.com/santhosh-tekuri/jsonschema/v6 github.com/sourcegraph/jsonrpc2 golang.org/x/net pgregory.net/rapid"

// debts are edges that violate the table for now. Edges that are resolved must be removed.
var debts = map[string]string{}

// The limits of style.md: code should fit on a screen.
const (
	maxFile = 600 // lines
	maxFunc = 60
)
