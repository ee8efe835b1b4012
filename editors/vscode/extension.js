// Starts `posetta lsp` for property files and system files. All answers come from there.
const { workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = function activate() {
  const settings = workspace.getConfiguration('posetta');
  const args = ['lsp'];
  for (const flag of ['run', 'root']) {
    const value = settings.get(flag);
    if (value) args.push(`--${flag}`, value);
  }
  const server = { command: settings.get('path') || 'posetta', args };
  const documentSelector = ['posetta-props', 'posetta-sys'].map((language) => ({ language }));
  const fileEvents = workspace.createFileSystemWatcher('**/*.{props,sys,aut,pnml}');
  client = new LanguageClient('posetta', 'Posetta', server, { documentSelector, synchronize: { fileEvents } });
  return client.start();
};

exports.deactivate = function deactivate() {
  return client?.stop();
};
