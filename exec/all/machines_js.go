package all

// machines are the names of the engines that write machine code, which a web page has no use for: their code is left out of what it loads.
var machines = [...]Entry{{Name: "jit", Lacks: noMachine}}

func noMachine() string { return "WebAssembly cannot run machine code that a program writes" }
