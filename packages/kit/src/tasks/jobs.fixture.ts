import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { defineServer, defineTool, fail, field, type KitServer, type ToolContext, z } from '../kit.ts';

const WRITES = { readOnly: false, destructive: false, idempotent: false, openWorld: false };

/** A server with long work for tests: each job waits for a file in its folder. */
export function createJobs(folder: string): KitServer {
  const appeared = async (name: string, { signal }: ToolContext) => {
    while (!existsSync(join(folder, name))) await sleep(10, undefined, { signal });
  };
  const wait = defineTool({
    name: 'jobs_wait_file',
    title: 'Wait for a file',
    description: 'Waits until a file is in the folder of the server.',
    input: { name: field('Name of the file', z.string()) },
    output: { said: field('How it went', z.string()) },
    hints: WRITES,
    task: true,
    async run({ name }, context) {
      if (name === 'refused') fail('This file never comes.', 'Wait for another.');
      await context.progress(1, 2, `waiting for ${name}`);
      await appeared(name, context);
      return { said: `found ${name}` };
    },
  });
  const ask = defineTool({
    name: 'jobs_ask_person',
    title: 'Ask a person',
    description: 'Asks the person whether they are sure, twice.',
    input: {},
    output: { said: field('What they said', z.string()) },
    hints: WRITES,
    task: true,
    async run(_, context) {
      const first = await context.ask('Sure?', { sure: field('Really', z.boolean()) });
      const second = await context.ask('Really sure?', { sure: field('Really', z.boolean()) });
      return { said: [first, second].map((one) => one.action === 'accept' && one.content.sure).join(' ') };
    },
  });
  const count = defineTool({
    name: 'jobs_write_lines',
    title: 'Write two lines',
    description: 'Writes two lines into a file, and waits for another file between them.',
    input: {},
    output: { lines: field('The lines in the file', z.array(z.string())) },
    hints: { ...WRITES, idempotent: true },
    task: { resumes: true },
    async run(_, context) {
      const file = join(folder, 'lines.txt');
      await context.once(() => appendFileSync(file, 'first\n'));
      await appeared('go', context);
      await context.once(() => appendFileSync(file, 'second\n'));
      return { lines: readFileSync(file, 'utf8').trim().split('\n') };
    },
  });
  return defineServer({
    name: 'jobs-mcp-server',
    version: '1.0.0',
    tools: [wait, ask, count],
    callsFile: join(folder, 'calls.db'),
    note: () => {},
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.env['JOBS'] ?? '.';
  writeFileSync(join(folder, 'pid'), String(process.pid));
  await createJobs(folder).serve();
}
