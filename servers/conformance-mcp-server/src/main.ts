#!/usr/bin/env node
import { fstatSync } from 'node:fs';
import { type Flags, parseFlags, usage } from './flags.ts';
import { startHttp } from './http.ts';
import { serveStdio } from './stdio.ts';
import { World } from './world.ts';

async function main(flags: Flags): Promise<void> {
  const world = new World({ pageSize: flags.pageSize });
  if (flags.transport === 'stdio') {
    process.once('SIGTERM', () => {
      world.close();
      process.exit(0);
    });
    await serveStdio(world, flags.era, { input: process.stdin, output: process.stdout });
    world.close();
    return;
  }
  const server = await startHttp(world, flags);
  process.stdout.write(`${JSON.stringify({ url: server.url })}\n`);
  console.error(`listening on ${server.url}`);
  const stop = (): void => {
    world.close();
    server.close();
    process.stdin.destroy();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  // A parent that dies takes its end of our stdin with it; /dev/null as stdin must not end us at once.
  const stdin = fstatSync(0);
  if (stdin.isFIFO() || stdin.isSocket()) process.stdin.once('end', stop).resume();
}

try {
  await main(parseFlags(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(usage);
  process.exitCode = 1;
}
