import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FaultError } from '../core/errors.ts';
import { type Files, newServer as toFiles } from '../scaffold/new-server.ts';
import type { Command } from './command.ts';

export const newServer: Command = {
  name: 'new server',
  summary: 'write a new server with the kit, in a folder of its name: it builds, tests and lints clean at once',
  words: [['<name>', 'the service, for example weather: the server is called weather-mcp-server']],
  example: 'sallyport new server weather',
  async run({ words: [name = ''], terminal }) {
    const { folder, files } = toFiles(name);
    const target = resolve(terminal.cwd, folder);
    if (existsSync(target))
      throw new FaultError('usage', `${folder} is there already. Choose another name, or remove it.`);
    await writeFiles(target, files);
    const entry = { command: 'node', args: [join(target, 'dist/main.js')] };
    return {
      value: { folder: target, files: [...files.keys()], entry },
      text: `${[...files.keys()].map((file) => `${folder}/${file}`).join('\n')}`,
      next: [`cd ${folder} && npm install && npm test`, `for a client: ${JSON.stringify({ [name]: entry })}`],
    };
  },
};

export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [path, text] of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
