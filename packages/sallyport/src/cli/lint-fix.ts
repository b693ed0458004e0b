import { writeFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { FaultError } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { Change, Mended } from '../lint/mend.ts';
import { nameOf } from '../lint/rule.ts';

/** Where the definitions of one server came from, and what is suggested for them. */
export interface Fixable {
  readonly server: string;
  readonly mended: readonly Mended[];
  /** The file and the whole document in it; left out for a server that was asked. */
  readonly source?: { readonly file: string; readonly document: unknown };
}

export interface Written {
  readonly server: string;
  readonly file: string;
  readonly changes: readonly (Change & { readonly tool: string })[];
}

/** Writes the definitions with the suggested changes: beside the file they came from, or to a file named after the server. */
export async function writeFixes(
  fixables: readonly Fixable[],
  { out, isInPlace, cwd }: { out: string | undefined; isInPlace: boolean; cwd: string },
): Promise<readonly Written[]> {
  if (isInPlace && (out !== undefined || fixables.some(({ source }) => source === undefined || source.file === '-')))
    throw new FaultError('usage', '--in-place is for a JSON file of definitions, without --out.');
  if (out !== undefined && fixables.length > 1)
    throw new FaultError('usage', '--out takes the definitions of one server: name it, for example mcp.json#weather.');
  const written: Written[] = [];
  for (const { server, mended, source } of fixables) {
    const file = out ?? (isInPlace && source !== undefined ? source.file : besideOf(server, source?.file));
    const document = source?.document ?? { tools: mended.map(({ before }) => before) };
    const fixes = new Map<unknown, JsonObject>(mended.map(({ before, after }) => [before, after]));
    const text = JSON.stringify(document, (_, value: unknown) => fixes.get(value) ?? value, 2);
    await writeFile(resolve(cwd, file), `${text}\n`);
    const changes = mended.flatMap((one) => one.changes.map((change) => ({ tool: nameOf(one.before), ...change })));
    written.push({ server, file, changes });
  }
  return written;
}

/** The name of a server comes from its configuration: it must not lead to another folder. */
function besideOf(server: string, file: string | undefined): string {
  if (file === undefined || file === '-') return `${server.replace(/[^\w.-]+/g, '_').replace(/^\.+/, '')}.fixed.json`;
  return `${file.slice(0, file.length - extname(file).length)}.fixed.json`;
}

export function toValue({ server, file, changes }: Written): Json {
  // A change that removes a member has no value.
  return { server, file, changes: changes.map(({ value, ...rest }) => ({ ...rest, value: value ?? null })) };
}

export function describeFixes({ file, changes }: Written): string {
  const tools = new Set(changes.map(({ tool }) => tool)).size;
  return changes.length === 0
    ? `Nothing can be mended without its author: ${file} has the definitions as they are.`
    : `${changes.length} suggested changes of ${tools} tools are in ${file}; "_meta" says where each comes from. Read them before you use them.`;
}
