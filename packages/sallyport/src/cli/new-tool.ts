import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FaultError } from '../core/errors.ts';
import { newTool as toFiles } from '../scaffold/new-server.ts';
import type { Command } from './command.ts';
import { writeFiles } from './new-server.ts';

export const newTool: Command = {
  name: 'new tool',
  summary: 'add a tool to the server in this folder, which "sallyport new server" wrote',
  words: [['<name>', '{service}_{action}_{resource}, for example weather_get_forecast']],
  example: 'sallyport new tool weather_get_forecast',
  async run({ words: [name = ''], terminal }) {
    const file = resolve(terminal.cwd, 'src/server.ts');
    const source = await readFile(file, 'utf8').catch((cause: unknown) => {
      throw new FaultError(
        'usage',
        'There is no src/server.ts here. Go to the folder of a server, or make one with "sallyport new server".',
        {
          cause,
        },
      );
    });
    const files = toFiles(name, source);
    await writeFiles(terminal.cwd, files);
    return {
      value: { files: [...files.keys()] },
      text: [...files.keys()].join('\n'),
      next: ['describe it in its file, add its examples to README.md, then: npm test'],
    };
  },
};
