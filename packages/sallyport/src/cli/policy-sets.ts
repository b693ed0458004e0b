import { STARTER_SETS } from '../config/policy-section.ts';
import type { Json } from '../core/json.ts';
import { type SetRow, toSetTable } from '../guard/set-table.ts';
import { type Command, type Input, type Output, textOption } from './command.ts';
import { findConfigFile, findStateDir, readSnapshot } from './config-file.ts';
import { wrapText } from './wrap-text.ts';

export const policySets: Command = {
  name: 'policy sets',
  summary: 'list what the sets laptop, team and locked do, door by door, and which one is in force',
  example: 'sallyport policy sets --json',
  run: async (input) => show(input),
};

function show({ terminal, options }: Input): Output {
  const file = findConfigFile(textOption(options, 'config'), terminal);
  const { set } = readSnapshot({ file, env: terminal.env, stateDir: findStateDir(terminal), version: 1 });
  const rows = toSetTable();
  return {
    value: { in_force: set, doors: rows as unknown as Json }, // plain data
    text: `${rows.map((row) => toText(row, terminal.stdout.columns ?? 80)).join('\n\n')}\n`,
    remarks: [`The set ${set} is in force. A section of the file replaces what the set says about its door.`],
  };
}

const INDENT = 12;

/** A block for each door: sentences do not fit four columns of a terminal. */
function toText({ door, setting, sets, cost }: SetRow, columns: number): string {
  const lines: [string, string][] = [];
  for (const set of STARTER_SETS) {
    const action = sets[set].action;
    const same = lines.find(([, text]) => text === action);
    if (same === undefined) lines.push([set, action]);
    else same[0] += `,${set}`;
  }
  const said = lines.length === 1 ? [['every set', lines[0]?.[1] ?? '']] : lines;
  return [
    `${door} (${setting})`,
    ...[...said, ['cost', cost]].map(([name = '', text = '']) => wrap(name, text, columns)),
  ].join('\n');
}

function wrap(name: string, text: string, columns: number): string {
  const lines = wrapText(text, Math.max(20, columns - INDENT - 4));
  return lines.map((line, at) => `  ${(at === 0 ? name : '').padEnd(INDENT)}  ${line}`).join('\n');
}
