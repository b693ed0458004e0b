import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { createInspection } from '../app/inspect-definition.ts';
import { toPeers } from '../catalog/pins/peers.ts';
import { toItemName } from '../catalog/pins/pin.ts';
import { FaultError } from '../core/errors.ts';
import type { Finding } from '../core/finding.ts';
import { allPages } from './all-pages.ts';
import { withApi } from './api.ts';
import { type Command, type Input, type Output, textOption } from './command.ts';
import { describeFinding } from './describe-finding.ts';
import { toLine } from './plain-text.ts';
import { readDefinitions } from './read-definitions.ts';
import { readStdin } from './read-stdin.ts';

export const scan: Command = {
  name: 'scan',
  summary: 'show what was found in the definitions of servers, or read those of a file; exit code 1: in the block tier',
  words: [['[file]', 'the answer to tools/list as JSON, - for stdin; left out: what the configured servers offered']],
  options: [{ flags: '--server <name>', meaning: 'only this server; with a file: whose definitions they are' }],
  example: 'sallyport scan tools.json',
  async run(input) {
    const [file] = input.words;
    return toOutput(file === undefined ? await readKnown(input) : await readGiven(input, file));
  },
};

/** One finding in one item. */
interface Row extends Finding {
  readonly server: string;
  readonly item: string;
  /** Of the pin; left out for a file. */
  readonly state?: string;
}

interface Scanned {
  readonly definitions: number;
  readonly rows: readonly Row[];
  readonly remarks: readonly string[];
}

async function readKnown(input: Input): Promise<Scanned> {
  const server = textOption(input.options, 'server');
  return withApi(input, async (api) => {
    const pins = await allPages((page) => api.call('listPins', { query: { ...page, server } }));
    const rows = await allPages((page) => api.call('listFindings', { query: { ...page, server } }));
    const unread = pins.filter(({ found, item }) => found === null && item !== 'program' && !item.startsWith('ui/'));
    return {
      definitions: pins.filter(({ found }) => found !== null).length,
      rows: rows.map(({ digest: _digest, ...row }) => row as Row), // as its schema says
      remarks: [
        ...(pins.length === 0 ? ['Nothing is known yet: start Sallyport, which looks at what servers offer.'] : []),
        ...(unread.length === 0
          ? []
          : [`${unread.length} definitions are not read: nobody offered them lately, or scan.definitions is off.`]),
      ],
    };
  });
}

const MAX_BYTES = 64 * 1024 * 1024;

async function readGiven(input: Input, file: string): Promise<Scanned> {
  const text = file === '-' ? await readStdin(input.terminal, input.signal) : await readText(file);
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw new FaultError('usage', `${file} is not JSON. Give the answer to tools/list, or a list of tools.`, { cause });
  }
  const server = textOption(input.options, 'server') ?? basename(file);
  const definitions = readDefinitions(document, server);
  const inspection = createInspection();
  const peers = toPeers(
    server,
    definitions.flatMap(({ kind, definition }) => (kind === 'tools' ? [definition] : [])),
  );
  const rows = definitions.flatMap((one) =>
    inspection
      .inspect(one, peers)
      .findings.map((finding) => ({ server, item: toItemName(one.kind, one.name), ...finding })),
  );
  return { definitions: definitions.length, rows, remarks: [] };
}

async function readText(file: string): Promise<string> {
  try {
    if ((await stat(file)).size > MAX_BYTES)
      throw new FaultError('too_large', `${file} holds more than ${MAX_BYTES} bytes.`);
    return await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof FaultError) throw cause;
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw new FaultError('usage', `${file} cannot be read${code}. Check the path and your rights.`, { cause });
  }
}

function toOutput({ definitions, rows, remarks }: Scanned): Output {
  const block = rows.filter(({ tier }) => tier === 'block').length;
  const byItem = new Map<string, Row[]>();
  for (const row of rows) {
    const key = `${row.server} ${toLine(row.item, 256)}${row.state === undefined ? '' : ` (${row.state})`}`;
    byItem.set(key, [...(byItem.get(key) ?? []), row]);
  }
  const parts = [...byItem].map(([key, found]) => [key, ...found.flatMap(describeFinding)].join('\n'));
  return {
    value: { definitions, block, review: rows.length - block, findings: rows.map((row) => ({ ...row })) },
    text: parts.join('\n\n'),
    remarks: [
      `${definitions} definitions read: ${block} findings to block, ${rows.length - block} to review.`,
      ...remarks,
    ],
    exit: block > 0 ? 1 : 0,
  };
}
