import { CommanderError, Option, Command as Program } from 'commander';
import { FAILURES, FaultError, toFault } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { VERSION } from '../version.ts';
import type { Command, Flag, Input, Options, Output } from './command.ts';
import { toPlainJson, toPlainText } from './plain-text.ts';
import { type Terminal, write } from './terminal.ts';

/**
 * Runs one command line and returns its exit code. The only place that prints results and turns failures into exit
 * codes: one JSON value or one text on stdout, everything else on stderr.
 */
export async function runCommand(
  argv: readonly string[],
  terminal: Terminal,
  table: readonly Command[],
): Promise<number> {
  const line = splitAtDashes(argv, table);
  const asJson = line.words.includes('--json');
  try {
    const picked = await parse(line, terminal, table);
    if (picked === undefined) return 0;
    const output = await runInterruptibly(picked, terminal);
    if (output === undefined) return 0;
    await print(output, terminal, asJson);
    return output.exit ?? 0;
  } catch (error) {
    return fail(error, terminal, asJson);
  }
}

interface Line {
  readonly words: readonly string[];
  /** What stood after `--`, for a row that has a use for it. */
  readonly dashed: readonly string[] | undefined;
}

function splitAtDashes(argv: readonly string[], table: readonly Command[]): Line {
  const at = argv.indexOf('--');
  const row = table.find(({ name }) => name === argv.slice(0, name.split(' ').length).join(' '));
  if (at < 0 || row?.dashes === undefined) return { words: argv, dashed: undefined };
  return { words: argv.slice(0, at), dashed: argv.slice(at + 1) };
}

type Picked = Omit<Input, 'signal'> & { readonly command: Command };

/** The row and its words; `undefined` when help or the version was asked for and printed. */
async function parse(line: Line, terminal: Terminal, table: readonly Command[]): Promise<Picked | undefined> {
  let picked: Picked | undefined;
  let complaint = '';
  const program = new Program('sallyport')
    .description('One governed endpoint between AI agents and MCP servers.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => {
        complaint += text;
      },
      getOutHelpWidth: () => terminal.stdout.columns ?? 100,
    });
  for (const row of table) {
    const words = row.name.split(' ');
    const verb = words.pop() ?? row.name;
    addRow(groupOf(program, words), verb, { row, line }, (input) => {
      picked = { ...input, command: row, dashed: line.dashed, terminal };
    });
  }
  try {
    await program.parseAsync([...line.words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return undefined;
    // No command at all, or a group without one: the help is the answer, not a mistake.
    if (error.code === 'commander.help' && !line.words.includes('--json')) {
      const start = line.words.length === 0 ? '\nBegin with: sallyport import, then sallyport up\n' : '';
      await write(terminal.stdout, `${complaint.trimEnd()}\n${start}`);
      return undefined;
    }
    throw new FaultError('usage', complaint.trim().replace(/^error: /, ''));
  }
  return picked;
}

function groupOf(program: Program, words: readonly string[]): Program {
  return words.reduce((parent, word) => {
    const present = parent.commands.find((candidate) => candidate.name() === word);
    return (
      present ??
      parent
        .command(word)
        .description(GROUPS.get(word) ?? word)
        .helpCommand(false)
    );
  }, program);
}

const GROUPS: ReadonlyMap<string, string> = new Map([
  ['audit', 'the record of who did what'],
  ['server', 'the servers in the configuration'],
  ['registry', 'the servers that registries describe'],
  ['tool', 'the tools of a server'],
  ['resource', 'the resources of a server'],
  ['prompt', 'the prompts of a server'],
  ['policy', 'the policies: who may call what'],
  ['pin', 'the definitions that may be used'],
  ['key', 'the API keys of callers'],
  ['approval', 'the calls that wait for a person'],
  ['new', 'the start of a server or of a tool'],
  ['plan', 'the plans that hold runs to the steps they said beforehand'],
  ['result', 'the results that are quarantined until a person releases them'],
]);

function addRow(
  group: Program,
  verb: string,
  { row, line }: { readonly row: Command; readonly line: Line },
  pick: (input: { readonly words: readonly string[]; readonly options: Options }) => void,
): void {
  const command = group.command(verb).description(row.summary).addHelpText('after', `\nExample:\n  $ ${row.example}\n`);
  const words = row.words ?? [];
  // The command after `--` is the target: the word is not asked for again.
  for (const [notation, meaning] of row.dashes === 'target' && line.dashed !== undefined ? words.slice(1) : words) {
    // Through the gateway the target may be left out: the row looks at how many words there are.
    command.argument(line.words.includes('--gateway') ? notation.replace(/^<(.*)>$/, '[$1]') : notation, meaning);
  }
  for (const flag of [...(row.options ?? []), ...COMMON]) command.addOption(toOption(flag));
  if (row.dashes !== undefined)
    command.usage(`[options] ${words.map(([notation]) => notation).join(' ')} [-- command...]`);
  command.action(() => pick({ words: command.args, options: command.opts() }));
}

const COMMON: readonly Flag[] = [
  { flags: '--json', meaning: 'print one JSON value on stdout, failures included' },
  { flags: '--config <file>', meaning: 'use this configuration file' },
];

function toOption({ flags, meaning, many }: Flag): Option {
  const option = new Option(flags, meaning);
  if (many !== true) return option;
  return option.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
}

async function runInterruptibly({ command, ...input }: Picked, terminal: Terminal): Promise<Output | undefined> {
  const interrupt = new AbortController();
  const stop = terminal.onInterrupt(() => {
    // Whoever asks twice does not want to wait for an orderly end.
    if (interrupt.signal.aborted) process.exit(FAILURES.cancelled.exit);
    interrupt.abort(new FaultError('cancelled', 'Interrupted.'));
  });
  try {
    return await command.run({ ...input, signal: interrupt.signal });
  } finally {
    stop();
  }
}

async function print(output: Output, terminal: Terminal, asJson: boolean): Promise<void> {
  const say = async (lines: readonly string[] = []): Promise<void> => {
    for (const line of lines) await write(terminal.stderr, `${toPlainText(line)}\n`);
  };
  await say(output.remarks);
  const result = toPrinted(output, terminal, asJson);
  if (result !== '') await write(terminal.stdout, result);
  await say(output.next);
}

function toPrinted(output: Output, terminal: Terminal, asJson: boolean): string | Buffer {
  if (asJson || output.text === undefined) return `${toPlainJson(output.value, 2)}\n`;
  if (typeof output.text !== 'string' || output.text === '') return output.text;
  // What a server says could otherwise steer the terminal: move the cursor, set the title, write the clipboard.
  const text = terminal.stdout.isTTY === true ? toPlainText(output.text) : output.text;
  return text.endsWith('\n') ? text : `${text}\n`;
}

async function fail(error: unknown, terminal: Terminal, asJson: boolean): Promise<number> {
  const fault = toFault(error);
  // There is no log behind a command line: its user is the operator.
  const cause =
    fault.code === 'internal' && fault.cause instanceof Error ? ` ${fault.cause.stack ?? fault.cause.message}` : '';
  if (asJson) {
    const value: Json = {
      error: { code: fault.code, message: fault.forPeople, ...(fault.data === undefined ? {} : { data: fault.data }) },
    };
    await write(terminal.stdout, `${toPlainJson(value, 2)}\n`);
  }
  await write(terminal.stderr, `sallyport: ${toPlainText(fault.forPeople + cause)}\n`);
  return fault.failure.exit;
}
