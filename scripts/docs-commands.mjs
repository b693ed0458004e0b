// What `--help` says of every command, from the built command table.
export const page = 'docs/commands.md';

/** name of the section -> its text. */
export async function sections() {
  const { COMMANDS } = await import('../packages/sallyport/dist/cli/commands.js');
  const { runCommand } = await import('../packages/sallyport/dist/cli/run-command.js');
  const found = new Map();
  for (const { name } of COMMANDS) {
    let text = '';
    const stream = { columns: 100, isTTY: false, write: (chunk) => (text += chunk) };
    const exit = await runCommand([...name.split(' '), '--help'], { stdout: stream, stderr: stream }, COMMANDS);
    if (exit !== 0) throw new Error(`${name} --help ended with ${exit}`);
    found.set(`help ${name}`, ['```text', text.trimEnd(), '```'].join('\n'));
  }
  return found;
}
