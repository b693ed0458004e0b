#!/usr/bin/env node
import './heap-flags.ts';
import type { Command } from './command.ts';
import { runCommand } from './run-command.ts';
import { systemTerminal } from './terminal.ts';

/** What programs start, and wait for: loaded without the other commands, which are a third of all files. */
const SERVING: ReadonlyMap<string | undefined, () => Promise<Command>> = new Map([
  ['up', async () => (await import('./up.ts')).up],
  ['stdio', async () => (await import('./stdio.ts')).stdio],
]);

// Node opens its debugger on this signal, and a server that Sallyport started may send it.
process.on('SIGUSR1', () => {});

const argv = process.argv.slice(2);
const serving = SERVING.get(argv[0]);
const commands = serving === undefined ? (await import('./commands.ts')).COMMANDS : [await serving()];

// A child or a socket that lingers must not keep a finished command from returning.
process.exit(await runCommand(argv, systemTerminal(), commands));
