import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { fromStep, toStep } from '../../core/json-pointer.ts';
import type { Report } from './inspection.ts';
import type { FieldChange, PinKind } from './pin.ts';
import { noteRisks } from './risk-notes.ts';

export interface Difference {
  readonly changes: readonly FieldChange[];
  /** What a reader should look at first. */
  readonly risks: readonly string[];
  /** `minor`: it only speaks of annotations, or only takes away. Everything else has to be read. */
  readonly weight: 'minor' | 'major';
}

export interface Compared {
  readonly kind: PinKind;
  /** `undefined`: nothing was approved yet. */
  readonly before: string | undefined;
  readonly after: string;
  /** Names of other tools, of all servers. */
  readonly otherTools: readonly string[];
  /** The item that this one was before. */
  readonly renamedFrom?: string | undefined;
  /** What reading the new one found. */
  readonly found?: Report | undefined;
}

/** Fields beyond this are counted, not shown. */
const MAX_CHANGES = 500;

/** What changed between two definitions, field by field. Both are JSON texts as their server wrote them. */
export function compareDefinitions(compared: Compared): Difference {
  const { kind, before, after, otherTools, renamedFrom, found } = compared;
  const old = before === undefined ? undefined : (JSON.parse(before) as Json);
  const now = JSON.parse(after) as Json;
  const changes: FieldChange[] = [];
  if (old === undefined) changes.push({ path: '', change: 'added', after: now });
  else collect(old, now, { path: '', changes, depth: 0 });
  if (changes.length === 0 && before !== undefined) {
    // Readers of JSON disagree about these texts, e.g. because a member stands twice: the whole is shown.
    changes.push({ path: '', change: 'changed', before, after });
  }
  const told = changes.filter((change) => !isFollowing(change, changes));
  const risks = noteRisks({ kind, before: old, after: now, changes: told, otherTools, found });
  const isRename = renamedFrom !== undefined && before !== undefined;
  const isMinor = old !== undefined && told.every((change) => isSmall(kind, change) || (isRename && isName(change)));
  return {
    changes,
    risks: risks.map(({ text }) => text),
    weight: isMinor && !risks.some(({ grave }) => grave) ? 'minor' : 'major',
  };
}

interface Walk {
  readonly path: string;
  readonly changes: FieldChange[];
  readonly depth: number;
}

function collect(before: Json | undefined, after: Json | undefined, walk: Walk): void {
  const { path, changes, depth } = walk;
  if (changes.length >= MAX_CHANGES) return;
  if (before === undefined && after === undefined) return;
  if (before === undefined) changes.push({ path, change: 'added', after: after as Json });
  else if (after === undefined) changes.push({ path, change: 'removed', before });
  else if (isObject(before) && isObject(after) && depth < 128) collectMembers(before, after, walk);
  else if (!isEqual(before, after)) changes.push({ path, change: 'changed', before, after });
}

function collectMembers(before: JsonObject, after: JsonObject, walk: Walk): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const path = `${walk.path}/${toStep(key)}`;
    const at = (value: JsonObject) => (Object.hasOwn(value, key) ? value[key] : undefined);
    collect(at(before), at(after), { ...walk, path, depth: walk.depth + 1 });
  }
}

function isEqual(one: Json, other: Json): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value: Json, i) => isEqual(value, other[i] as Json));
  if (!isObject(one) || !isObject(other)) return one === other;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key] as Json, other[key] as Json))
  );
}

function isName({ path }: FieldChange): boolean {
  return path === '/name' || path === '/title' || path === '/annotations/title';
}

/** A parameter that is gone is no longer required: that is one change, not two. */
function isFollowing({ path, before, after }: FieldChange, changes: readonly FieldChange[]): boolean {
  if (path !== '/inputSchema/required' || !Array.isArray(before)) return false;
  const gone = new Set(
    changes
      .filter((one) => one.change === 'removed' && /^\/inputSchema\/properties\/[^/]+$/.test(one.path))
      .map((one) => fromStep(one.path.slice('/inputSchema/properties/'.length))),
  );
  const left = (before as readonly Json[]).filter((name) => typeof name !== 'string' || !gone.has(name));
  return isEqual(left, after ?? []);
}

const TURNING = /\/(?:not|if|then|else|dependent[a-zA-Z]{1,20}|oneOf|contains|\$defs|definitions)(?:\/|$)/;

/** Changes that give a model nothing new to read and a caller nothing new to send. */
function isSmall(kind: PinKind, change: FieldChange): boolean {
  const { path, change: how, before, after } = change;
  // Hints are flags. A text among them, be it a title or the name of a flag, may reach a model and is read like any other.
  if (path.startsWith('/annotations/')) return how === 'removed' || isFlag(path.slice('/annotations/'.length), after);
  if (path === '/annotations')
    return (
      how === 'removed' || (isObject(after) && Object.entries(after).every(([name, value]) => isFlag(name, value)))
    );
  // Less in a part that forbids, or that decides which other part holds, is more in the whole.
  if (path.startsWith('/inputSchema/') && TURNING.test(path)) return false;
  if (how === 'removed')
    return (
      ['/description', '/title', '/icons', '/_meta', '/outputSchema'].includes(path) ||
      /^\/inputSchema\/(?:.*\/)?properties\/[^/]+$/.test(path) ||
      /^\/inputSchema\/(?:.*\/)?description$/.test(path)
    );
  const isText = path.endsWith('/description') || (kind === 'instructions' && path === '');
  if (how === 'changed' && isText) return isShortened(before, after);
  if (how === 'changed' && path.startsWith('/inputSchema/') && Array.isArray(before) && Array.isArray(after))
    return isSubset(path, before, after);
  return (
    how === 'changed' && path.startsWith('/inputSchema/') && path.endsWith('/additionalProperties') && after === false
  );
}

/** MCP schema, ToolAnnotations. */
const FLAGS = new Set(['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']);

function isFlag(name: string, value: unknown): boolean {
  return FLAGS.has(name) && typeof value === 'boolean';
}

/** Whole lines are gone and nothing else: taking a word out can turn a sentence into its opposite. */
function isShortened(before: Json | undefined, after: Json | undefined): boolean {
  if (typeof before !== 'string' || typeof after !== 'string') return false;
  const lines = before.split('\n');
  let at = 0;
  for (const line of after.split('\n')) {
    const found = lines.indexOf(line, at);
    if (found < 0) return after === '';
    at = found + 1;
  }
  return true;
}

/** Fewer values to choose from, or more that must be given. */
function isSubset(path: string, before: readonly Json[], after: readonly Json[]): boolean {
  const within = (some: readonly Json[], all: readonly Json[]) =>
    some.every((value) => all.some((one) => isEqual(one, value)));
  if (path.endsWith('/enum')) return after.length > 0 && within(after, before);
  return path.endsWith('/required') && within(before, after);
}
