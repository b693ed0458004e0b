import { arrayElements, type Edit, objectMembers, QUOTE, spliceBytes } from './json-scan.ts';
import { readFrame } from './read-frame.ts';

/** In place of what a list item held that is nested too deeply to be read. */
export const TOO_DEEP = 'dev.sallyport/tooDeep';

/** Lists whose items stand alone. */
const LISTS: ReadonlySet<string> = new Set(['tools', 'resources', 'resourceTemplates', 'prompts']);
/** What an item is called by. */
const NAMES: ReadonlySet<string> = new Set(['name', 'uri', 'uriTemplate']);
/** The message, its result and the list. */
const LEVELS_ABOVE = 3;

/**
 * The answer to a list request without what is nested beyond `maxDepth` levels in it: one item that nobody can read must not cost
 * the others. Of such an item its names are left, and `TOO_DEEP`. `undefined`: there is none.
 */
export function withoutDeepItems(bytes: Buffer, maxDepth: number): Buffer | undefined {
  const result = objectMembers(bytes, 0).findLast(({ key }) => key === 'result');
  if (result === undefined) return undefined;
  const edits: Edit[] = [];
  for (const { key, start } of objectMembers(bytes, result.start)) {
    if (!LISTS.has(key)) continue;
    for (const item of arrayElements(bytes, start)) {
      const text = bytes.subarray(item.start, item.end);
      const isDeep = readFrame(text, maxDepth - LEVELS_ABOVE).depth > maxDepth - LEVELS_ABOVE;
      if (isDeep) edits.push({ ...item, text: toNamesOnly(text) });
    }
  }
  return edits.length === 0 ? undefined : spliceBytes(bytes, edits);
}

function toNamesOnly(item: Buffer): string {
  const names = objectMembers(item, 0).filter(({ key, start }) => NAMES.has(key) && item[start] === QUOTE);
  const members = names.map(({ key, start, end }) => `"${key}":${item.toString('latin1', start, end)}`);
  return `{${[...members, `"${TOO_DEEP}":true`].join(',')}}`;
}
