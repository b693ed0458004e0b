import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ClientFile, listClientFiles } from '../config/client-files.ts';
import { addServers } from '../config/edit-file.ts';
import { leadsToSallyport, type MergeStep, mergeServers } from '../config/merge-servers.ts';
import { isProblem, parseFile } from '../config/parse-file.ts';
import { type FoundServer, readClientFile } from '../config/read-client-file.ts';
import { FaultError, toFault } from '../core/errors.ts';
import { isObject, member } from '../core/json.ts';
import { writeFileAtomically } from '../storage/write-file.ts';
import { type Command, type Input, isSet, listOption, type Output, textOption } from './command.ts';
import { readConfigText } from './config-file.ts';
import { type OpenFile, openConfig } from './edit-config.ts';
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
    { flags: '--dry-run', meaning: 'say what would happen and change nothing' },
  ],
  example: 'sallyport import --from cursor --dry-run',
  async run(input) {
    const open = openConfig(input);
    const { found, remarks } = readAll(pickFiles(input));
    const merge = mergeServers(open.servers, found, (entry) => leadsToSallyport(entry, portOf(open)));
    const dryRun = isSet(input.options, 'dryRun');
    if (!dryRun && merge.added.size > 0) writeFileAtomically(open.file, addServers(open.text, open.yaml, merge.added));
    return toOutput({
      file: open.file,
      dryRun,
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

/** The port this configuration listens on, to tell entries that lead back to it. */
function portOf({ text, yaml }: OpenFile): number {
  const parsed = parseFile(text, yaml);
  const gateway = isProblem(parsed) ? undefined : member(parsed.value, 'gateway');
  const port = isObject(gateway) ? member(gateway, 'port') : undefined;
  return typeof port === 'number' ? port : DEFAULT_PORT;
}

const DEFAULT_PORT = 7411;

function toOutput(made: {
  readonly file: string;
  readonly dryRun: boolean;
  readonly steps: readonly MergeStep[];
  readonly remarks: readonly string[];
  readonly screen: number;
}): Output {
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
    },
    text: rows.length === 0 ? '' : toTable(['server', 'what', 'client', 'why'], rows, screen),
    remarks: [...made.remarks, `${sum}.`],
  };
}
