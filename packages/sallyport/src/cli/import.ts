import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ClientFile, listClientFiles } from '../config/client-files.ts';
import { addServers } from '../config/edit-file.ts';
import { leadsToSallyport, type MergeStep, mergeServers } from '../config/merge-servers.ts';
import { isProblem, parseFile } from '../config/parse-file.ts';
import { type FoundServer, readClientFile } from '../config/read-client-file.ts';
import { FaultError, toFault } from '../core/errors.ts';
import { member } from '../core/json.ts';
import { writeFileAtomically } from '../storage/write-file.ts';
import { createAskPerson } from './ask-person.ts';
import { type Command, type Input, isSet, listOption, type Output, textOption } from './command.ts';
import { findStateDir, readConfigText } from './config-file.ts';
import { type OpenFile, openConfig } from './edit-config.ts';
import { toPlainText } from './plain-text.ts';
import { findRewirable, type Rewirable, type Rewired, rewireClients } from './rewire-clients.ts';
import { readOrigin } from './running-gateway.ts';
import { toTable } from './to-table.ts';

export const importServers: Command = {
  name: 'import',
  summary: 'take over the servers of Claude Desktop, Claude Code, Cursor, VS Code, Cline and Windsurf',
  options: [
    {
      flags: '--from <client>',
      meaning: 'only this client (claude-desktop, claude-code, cursor, vscode, cline, windsurf); may be repeated',
      many: true,
    },
    { flags: '--project <folder>', meaning: 'whose project files to read; left out: this folder' },
    {
      flags: '--rewire',
      meaning: 'also replace the servers in the clients’ files by Sallyport; a copy of each file is kept',
    },
    { flags: '--dry-run', meaning: 'say what would happen and change nothing' },
  ],
  example: 'sallyport import --from cursor --dry-run',
  async run(input) {
    const open = openConfig(input);
    const { found, remarks } = readAll(pickFiles(input));
    const gateway = gatewayOf(open);
    const origin = readOrigin(findStateDir(input.terminal));
    const ports = [gateway.port, ...(origin === undefined ? [] : [Number(new URL(origin).port)])];
    const merge = mergeServers(open.servers, found, (entry) => ports.some((port) => leadsToSallyport(entry, port)));
    const dryRun = isSet(input.options, 'dryRun');
    if (!dryRun && merge.added.size > 0) writeFileAtomically(open.file, addServers(open.text, open.yaml, merge.added));
    const rewirable = findRewirable(found, merge.steps);
    const isWanted =
      !dryRun && rewirable.length > 0 && (isSet(input.options, 'rewire') || (await askToRewire(rewirable, input)));
    const rewired = isWanted
      ? await rewireClients(rewirable, { ...gateway, terminal: input.terminal, configFile: open.file })
      : [];
    return toOutput({
      file: open.file,
      dryRun,
      rewirable,
      rewired,
      steps: merge.steps,
      remarks,
      screen: input.terminal.stdout.columns ?? 0,
    });
  },
};

function pickFiles({ options, terminal }: Input): readonly ClientFile[] {
  const project = resolve(terminal.cwd, textOption(options, 'project') ?? '.');
  const files = listClientFiles({ platform: terminal.platform, home: terminal.home, env: terminal.env, project });
  const wanted = listOption(options, 'from');
  const unknown = wanted.find((client) => !files.some((file) => file.client === client));
  if (unknown !== undefined) {
    throw new FaultError('usage', `--from knows ${[...new Set(files.map(({ client }) => client))].join(', ')}.`);
  }
  return files.filter(({ client, path }) => (wanted.length === 0 || wanted.includes(client)) && existsSync(path));
}

/** A client's file that cannot be read does not keep the others from being read. */
function readAll(files: readonly ClientFile[]): {
  readonly found: readonly FoundServer[];
  readonly remarks: readonly string[];
} {
  const remarks: string[] = [];
  const found = files.flatMap((file) => {
    try {
      return readClientFile(file, readConfigText(file.path));
    } catch (error) {
      remarks.push(`${file.label}: ${toFault(error).message}`);
      return [];
    }
  });
  return { found, remarks };
}

/** The port this configuration listens on, to tell entries that lead back to it, and whether it asks for no key. */
function gatewayOf({ text, yaml }: OpenFile): { readonly port: number; readonly isOpen: boolean } {
  const parsed = parseFile(text, yaml);
  const gateway = isProblem(parsed) ? undefined : member(parsed.value, 'gateway');
  const port = member(gateway, 'port');
  return {
    port: typeof port === 'number' && port > 0 ? port : DEFAULT_PORT,
    isOpen: member(gateway, 'auth') === 'none',
  };
}

const DEFAULT_PORT = 7411;

async function askToRewire(rewirable: readonly Rewirable[], { terminal, signal, options }: Input): Promise<boolean> {
  const ask = isSet(options, 'json') ? undefined : createAskPerson(terminal, signal);
  if (ask === undefined) return false;
  const files = rewirable
    .map(({ file, taken }) => `  ${file.path} (${file.label}, ${taken.length} servers)`)
    .join('\n');
  const answer = await ask(
    `${toPlainText(files)}\nReplace these servers by Sallyport in the clients' files? A copy of each file is kept. [y/N] `,
  );
  return /^y(?:es)?$/i.test(answer?.trim() ?? '');
}

/** What comes next, so that nobody has to look it up. */
function describeNext(made: Made): readonly string[] {
  const { rewired, rewirable, dryRun } = made;
  if (dryRun || rewirable.length === 0) return [];
  const back = rewired.flatMap(({ file, copy, key }) => [
    `Rewired ${file}.${key === undefined ? '' : ` Next for it: ${key}.`} To go back: mv ${toShellWord(copy)} ${toShellWord(file)}`,
  ]);
  if (rewired.length > 0) return [...back, 'Next: run "sallyport up" and keep it running, then restart the clients.'];
  return [
    'Next: run "sallyport up", then "sallyport import --rewire" so that the clients use Sallyport (a copy of each file is kept).',
  ];
}

function toShellWord(text: string): string {
  return /^[\w./:~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

interface Made {
  readonly file: string;
  readonly dryRun: boolean;
  readonly rewirable: readonly Rewirable[];
  readonly rewired: readonly Rewired[];
  readonly steps: readonly MergeStep[];
  readonly remarks: readonly string[];
  readonly screen: number;
}

function toOutput(made: Made): Output {
  const { file, dryRun, steps, screen } = made;
  const added = steps.filter(({ action }) => action === 'added' || action === 'renamed').length;
  const rows = steps.map(({ name, action, client, reason, notes }) => [
    name,
    action,
    client,
    [reason, ...notes].filter((text) => text !== undefined).join('; '),
  ]);
  const sum =
    `${dryRun ? 'Would add' : 'Added'} ${added} of ${steps.length} servers found ${added > 0 ? `to ${file}` : ''}`.trim();
  return {
    value: {
      file,
      dryRun,
      added,
      servers: steps.map(({ name, action, client, file: from, reason, notes }) => ({
        name,
        action,
        client,
        from,
        reason: reason ?? null,
        notes: [...notes],
      })),
      unreadable: [...made.remarks],
      rewired: made.rewired.map(({ file: path, copy }) => ({ file: path, copy })),
    },
    text: rows.length === 0 ? '' : toTable(['server', 'what', 'client', 'why'], rows, screen),
    remarks: [...made.remarks, `${sum}.`],
    next: describeNext(made),
  };
}
