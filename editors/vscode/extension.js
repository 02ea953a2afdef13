// The extension starts heddle lsp and lets vscode-languageclient talk to it, and heddle dap for the debugger.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

// settings are what the server reads in initializationOptions and in workspace/didChangeConfiguration.
function settings() {
  const c = vscode.workspace.getConfiguration("heddle");
  return { isa: c.get("isa"), stage: c.get("stage"), dialect: c.get("dialect"), options: c.get("options") };
}

async function activate(context) {
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("heddle", {
      createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(vscode.workspace.getConfiguration("heddle").get("path"), ["dap"]),
    }),
  );
  const run = { command: vscode.workspace.getConfiguration("heddle").get("path"), args: ["lsp"] };
  client = new LanguageClient(
    "heddle",
    "heddle",
    { run, debug: run },
    {
      documentSelector: [{ language: "heddle" }],
      initializationOptions: settings(),
    },
  );
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration("heddle")) {
        client.sendNotification("workspace/didChangeConfiguration", { settings: settings() });
      }
    }),
  );
  await client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
