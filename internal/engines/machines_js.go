package engines

// machines names the engines that emit machine code. A web page cannot use them, so their code is not part of what it
// loads.
var machines = [...]Entry{{Name: "jit", Lacks: noMachine}}

func noMachine() string { return "WebAssembly cannot run machine code that a program writes" }
