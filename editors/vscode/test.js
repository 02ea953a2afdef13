// Runs the extension without VS Code: with vscode-languageclient's own protocol layer for a client, and a stand-in for the module
// vscode that has what extension.js asks of it. npm install, then node test.js HEDDLE.
const assert = require("node:assert");
const { spawn } = require("node:child_process");
const Module = require("node:module");
const { createProtocolConnection, StreamMessageReader, StreamMessageWriter } = require("vscode-languageserver-protocol/node");

const heddle = process.argv[2];
assert(heddle, "usage: node test.js HEDDLE");
const file = "file:///a.s";
const text = "loop:\tv_mul_f32 v0, v1, v2\n\tv_ad_f32 v1, v2, v3\n\ts_cbranch_scc1 loop\n\ts_endpgm\n";
const values = { path: heddle, isa: "gcn:gfx8", stage: "", dialect: "", options: {} };

// A Client does what LanguageClient does of what the extension asks.
class Client {
  constructor(id, name, server, options) {
    Object.assign(this, { server, options });
  }
  async start() {
    this.process = spawn(this.server.run.command, this.server.run.args, { stdio: ["pipe", "pipe", "inherit"] });
    this.c = createProtocolConnection(new StreamMessageReader(this.process.stdout), new StreamMessageWriter(this.process.stdin));
    this.said = new Promise((resolve) => this.c.onNotification("textDocument/publishDiagnostics", resolve));
    this.c.listen();
    const capabilities = { general: { positionEncodings: ["utf-16"] }, textDocument: { codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } } } } };
    this.result = await this.c.sendRequest("initialize", { processId: process.pid, rootUri: null, capabilities, initializationOptions: this.options.initializationOptions });
    await this.c.sendNotification("initialized", {});
  }
  sendNotification(method, params) {
    return this.c.sendNotification(method, params);
  }
  async stop() {
    await this.c.sendRequest("shutdown");
    await this.c.sendNotification("exit");
    return new Promise((resolve) => this.process.on("exit", resolve));
  }
}

let made, adapter;
const load = Module._load;
Module._load = function (name, ...more) {
  if (name === "vscode") {
    const debug = { registerDebugAdapterDescriptorFactory: (type, f) => ((adapter = f), {}) };
    const DebugAdapterExecutable = class { constructor(command, args) { Object.assign(this, { command, args }); } };
    return { debug, DebugAdapterExecutable, workspace: { getConfiguration: () => ({ get: (k) => values[k] }), onDidChangeConfiguration: () => ({}) } };
  }
  if (name === "vscode-languageclient/node") {
    return { LanguageClient: class extends Client { constructor(...a) { super(...a); made = this; } } };
  }
  return load.call(this, name, ...more);
};

async function main() {
  const extension = require("./extension.js");
  await extension.activate({ subscriptions: [] });
  assert.deepEqual({ ...adapter.createDebugAdapterDescriptor() }, { command: heddle, args: ["dap"] });
  assert.equal(made.result.capabilities.positionEncoding, "utf-16");
  await made.c.sendNotification("textDocument/didOpen", { textDocument: { uri: file, languageId: "heddle", version: 1, text } });
  const { diagnostics } = await made.said;
  assert.deepEqual(diagnostics.map((d) => [d.range.start.line, d.code]), [[1, "mnemonic"]]);
  const at = (line, character) => ({ textDocument: { uri: file }, position: { line, character } });
  const hover = await made.c.sendRequest("textDocument/hover", at(0, 8));
  assert(hover.contents.value.includes("Meaning"));
  const edit = await made.c.sendRequest("textDocument/rename", { ...at(2, 17), newName: "again" });
  assert.equal(edit.changes[file].length, 2);
  const hints = await made.c.sendRequest("textDocument/inlayHint", { textDocument: { uri: file }, range: { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } } });
  assert.deepEqual(hints.map((h) => h.position.line), [0, 2, 3]);
  assert.equal(await extension.deactivate(), 0);
  console.log("ok");
}

main().catch((e) => {
  console.error(e);
  process.exit(1);
});
