#!/usr/bin/env node
import './heap-flags.ts';
import { COMMANDS } from './commands.ts';
import { runCommand } from './run-command.ts';
import { systemTerminal } from './terminal.ts';

// A child or a socket that lingers must not keep a finished command from returning.
process.exit(await runCommand(process.argv.slice(2), systemTerminal(), COMMANDS));
