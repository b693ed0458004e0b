import type { ByteSource } from '../../core/byte-source.ts';
import { FaultError } from '../../core/errors.ts';
import type { Span } from '../../core/json-scan.ts';
import type { Pause } from '../../core/pace.ts';
import { findRoot } from '../fit/fit-json.ts';
import { type Child, readChildren } from '../fit/read-children.ts';

/** One step of a JSON path. */
export type Step =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'slice'; readonly from: number; readonly to: number };

const MAX_STEPS = 32;
const STEP =
  /^(?:\.([A-Za-z_\u0080-\uffff][\w\u0080-\uffff-]*)|\[(\d{1,9})\]|\[(\d{0,9}):(\d{0,9})\]|\.\*|\[\*\]|\[("(?:[^"\\]|\\.)*")\]|\['([^'\\]*)'\])/;

/**
 * `$.rows[20:40].name` and the like (RFC 9535): names, indexes, slices and `*`.
 * @throws FaultError `invalid_params` for what else a path may hold
 */
export function parsePath(path: string): readonly Step[] {
  const steps: Step[] = [];
  let rest = path.startsWith('$') ? path.slice(1) : path;
  while (rest !== '') {
    const found = STEP.exec(rest);
    if (found === null || steps.length === MAX_STEPS)
      throw new FaultError(
        'invalid_params',
        `The path cannot be read from ${JSON.stringify(rest.slice(0, 40))} on. It has names, indexes, slices and *, e.g. $.rows[20:40].name or $["a b"][0].`,
      );
    const [whole, name, index, from, to, quoted, single] = found;
    rest = rest.slice(whole.length);
    const own = name ?? single ?? (quoted === undefined ? undefined : toName(quoted));
    if (own !== undefined) steps.push({ kind: 'name', name: own });
    else if (index !== undefined) steps.push({ kind: 'slice', from: Number(index), to: Number(index) + 1 });
    else steps.push({ kind: 'slice', from: Number(from ?? 0), to: to === undefined || to === '' ? END : Number(to) });
  }
  return steps;
}

const END = Number.MAX_SAFE_INTEGER;

function toName(quoted: string): string {
  try {
    return JSON.parse(quoted) as string; // True: it has quotes.
  } catch {
    throw new FaultError('invalid_params', `${quoted.slice(0, 40)} in the path is no JSON string.`);
  }
}

/** Of one container, more parts are not looked into. */
const MAX_FOUND = 1_000;

export interface FoundValues {
  readonly spans: readonly Span[];
  /** There are more than were looked for. */
  readonly isMore: boolean;
}

/** The values at a path, read in windows. @returns `undefined`: the source is not JSON */
export async function findValues(
  source: ByteSource,
  steps: readonly Step[],
  pause: Pause,
): Promise<FoundValues | undefined> {
  const root = await findRoot(source, pause);
  if (root === undefined) return undefined;
  let spans: readonly Span[] = [root];
  let isMore = false;
  for (const step of steps) {
    const next: Span[] = [];
    for (const span of spans) {
      if (next.length >= MAX_FOUND) break;
      for (const child of await findChildren(source, span, { step, room: MAX_FOUND + 1 - next.length, pause }))
        next.push(child);
    }
    isMore ||= next.length > MAX_FOUND;
    spans = next.slice(0, MAX_FOUND);
  }
  return { spans, isMore };
}

async function findChildren(
  source: ByteSource,
  { start }: Span,
  { step, room, pause }: { readonly step: Step; readonly room: number; readonly pause: Pause },
): Promise<readonly Span[]> {
  const first = (await source.read(start, start + 1)).toString('latin1');
  if (first !== '{' && first !== '[') return [];
  const found: Child[] = [];
  if (step.kind === 'name') {
    if (first === '[') return [];
    const written = Buffer.byteLength(JSON.stringify(step.name));
    // Keys are read afterwards, and only those that may be it: as long, or longer by escapes.
    const visit = (child: Child): boolean => {
      if (child.keyEnd - child.keyStart >= written && child.keyEnd - child.keyStart <= written * 6) found.push(child);
      return found.length < MAX_KEYS;
    };
    await readChildren(source, start, { visit, pause });
    let match: Child | undefined;
    for (const child of found) if ((await readKey(source, child)) === step.name) match = child;
    return match === undefined ? [] : [match];
  }
  const visit = (child: Child, index: number): boolean => {
    if (index >= step.from && index < step.to) found.push(child);
    return index + 1 < step.to && found.length < room;
  };
  await readChildren(source, start, { visit, pause });
  return found;
}

/** Members of one object that are compared with a name. */
const MAX_KEYS = 200_000;

async function readKey(source: ByteSource, { keyStart, keyEnd }: Child): Promise<unknown> {
  try {
    return JSON.parse((await source.read(keyStart, keyEnd)).toString('utf8'));
  } catch {
    return undefined;
  }
}
