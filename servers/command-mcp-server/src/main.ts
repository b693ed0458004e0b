#!/usr/bin/env node
import { secretsOf } from '@sallyport/kit';
import { command } from './command.ts';

const { COMMAND_ALLOWED, COMMAND_FOLDER } = secretsOf({
  COMMAND_ALLOWED: { description: 'the programs that may be run, separated by commas, for example "ls,wc,grep"' },
  COMMAND_FOLDER: { description: 'the folder they run in' },
});
const server = await command({
  allowed: COMMAND_ALLOWED.split(',').map((name) => name.trim()),
  folder: COMMAND_FOLDER,
});
await server.serve();
