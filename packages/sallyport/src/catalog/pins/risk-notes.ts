import { isObject, type Json, member } from '../../core/json.ts';
import type { Report } from './inspection.ts';
import type { FieldChange, PinKind } from './pin.ts';

export interface Risk {
  readonly text: string;
  /** Such a change is never minor. */
  readonly grave: boolean;
}

export interface Looked {
  readonly kind: PinKind;
  readonly before: Json | undefined;
  readonly after: Json;
  readonly changes: readonly FieldChange[];
  readonly otherTools: readonly string[];
  readonly found?: Report | undefined;
}

/** Format and control characters, tag characters, variation selectors: read by models, not seen by people. */
export const INVISIBLE = /(?![\n\t\r])\p{Cc}|\p{Cf}|\p{Variation_Selector}|[\u115F\u1160\u3164\u2800\uFFA0]/gu;
/** Shorter names are words of every language. */
const MIN_NAME = 4;
/** Hint -> the value that says the tool is harmless (MCP schema, ToolAnnotations). */
const SAFE_HINTS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;
/** What is assumed where a hint is missing. */
const ASSUMED_HINTS = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
} as const;
/** Keywords that narrow what a caller may send. */
const NARROWING =
  /\/(?:pattern|format|enum|const|maximum|minimum|exclusiveMaximum|exclusiveMinimum|maxLength|minLength|maxItems|minItems|required|type|additionalProperties|not)$/;

/** What deserves a second look in a definition, or in a change of one. */
export function noteRisks(looked: Looked): readonly Risk[] {
  if (looked.kind === 'program') return noteProgram(looked);
  const risks = [...noteFound(looked.found), ...noteText(looked), ...noteMentions(looked)];
  if (looked.kind === 'tools') risks.push(...noteHints(looked));
  if (looked.before === undefined) return risks;
  return [...risks, ...looked.changes.flatMap((change) => noteChange(change))];
}

/** What a command runs: nothing about it is small. */
function noteProgram({ before, after }: Looked): Risk[] {
  const risks: Risk[] = [{ text: 'other code runs with the rights of whoever started Sallyport', grave: true }];
  const [was, is] = [member(before, 'runs'), member(after, 'runs')];
  const opaque = member(after, 'opaque');
  if (typeof opaque === 'string') risks.push({ text: `nobody can tell what runs: ${opaque}`, grave: true });
  if (member(after, 'floating') === true)
    risks.push({ text: 'no exact version is asked for: whoever publishes it chooses what runs', grave: true });
  if (before !== undefined && was === is && typeof is === 'string' && /^(?:npm|pypi):/.test(is))
    risks.push({ text: `the same version with other files: ${is}`, grave: true });
  return risks;
}

/** What reading found is shown in full beside the risks; that there is something makes the whole never minor. */
function noteFound(found: Report | undefined): Risk[] {
  if (found === undefined || !found.risky) return [];
  const rules = [...new Set(found.findings.map(({ id }) => id))];
  const what = rules.length === 0 ? `a suspicious whole (${found.score.toFixed(2)})` : rules.slice(0, 10).join(', ');
  return [{ text: `reading it found: ${what}`, grave: true }];
}

function noteText({ before, after }: Looked): Risk[] {
  const hidden = (value: Json | undefined) =>
    value === undefined ? 0 : ([...textsOf(value)].join('\n').match(INVISIBLE)?.length ?? 0);
  const count = hidden(after);
  if (count === 0 || count === hidden(before)) return [];
  return [{ text: `${count} invisible characters: a model reads what you cannot see`, grave: true }];
}

function noteMentions({ before, after, otherTools }: Looked): Risk[] {
  // A name may end a sentence.
  const toWord = (part: string) => part.replace(/^[.-]{1,64}|[.-]{1,64}$/g, '');
  const words = (value: Json | undefined) =>
    new Set([...textsOf(value ?? null)].flatMap((text) => text.split(/[^\p{L}\p{N}_.-]+/u).map(toWord)));
  const [old, now] = [words(before), words(after)];
  const own = member(after, 'name');
  const met = otherTools.filter((name) => name.length >= MIN_NAME && name !== own && now.has(name) && !old.has(name));
  if (met.length === 0) return [];
  return [{ text: `mentions other tools: ${[...new Set(met)].slice(0, 10).join(', ')}`, grave: true }];
}

function noteHints({ before, after }: Looked): Risk[] {
  const [old, now] = [member(before, 'annotations'), member(after, 'annotations')];
  const risks: Risk[] = [];
  for (const [hint, safe] of Object.entries(SAFE_HINTS)) {
    const assumed = ASSUMED_HINTS[hint as keyof typeof ASSUMED_HINTS]; // the same keys
    const was = before === undefined ? assumed : (member(old, hint) ?? assumed);
    const is = member(now, hint) ?? assumed;
    if (was === is || before === undefined) continue;
    // A policy believes approved hints: a claim of harmlessness must not slip in with one key.
    if (is === safe)
      risks.push({ text: `now claims to be harmless: ${hint} ${String(was)} -> ${String(is)}`, grave: true });
    else risks.push({ text: `hints weakened: ${hint} ${String(was)} -> ${String(is)}`, grave: false });
  }
  return risks;
}

function noteChange({ path, change, before, after }: FieldChange): Risk[] {
  const [, parameter] = /^\/inputSchema\/(?:.*\/)?properties\/([^/]+)$/.exec(path) ?? [];
  if (parameter !== undefined && change === 'added') return [{ text: `new parameter: ${parameter}`, grave: true }];
  if (path === '/inputSchema/properties' && change === 'added' && isObject(after))
    return Object.keys(after).map((name) => ({ text: `new parameter: ${name}`, grave: true }));
  if (/(?:^|\/)description$/.test(path) || path === '') {
    const [was, is] = [lengthOf(before), lengthOf(after)];
    const what = path === '' ? 'the text' : path === '/description' ? 'the description' : path;
    return is > was ? [{ text: `${what} grew by ${is - was} characters`, grave: true }] : [];
  }
  if (!path.startsWith('/inputSchema')) return [];
  const loosened =
    (change === 'removed' && NARROWING.test(path)) || (change === 'changed' && isLooser(path, before, after));
  return loosened ? [{ text: `the schema allows more: ${path}`, grave: true }] : [];
}

function isLooser(path: string, before: Json | undefined, after: Json | undefined): boolean {
  if (/\/(?:maximum|exclusiveMaximum|maxLength|maxItems)$/.test(path)) return Number(after) > Number(before);
  if (/\/(?:minimum|exclusiveMinimum|minLength|minItems)$/.test(path)) return Number(after) < Number(before);
  if (path.endsWith('/additionalProperties')) return before === false;
  if (!Array.isArray(before) || !Array.isArray(after)) return /\/(?:type|pattern|const|format)$/.test(path);
  const texts = (values: readonly Json[]) => new Set(values.map((value) => JSON.stringify(value)));
  const [old, now] = [texts(before), texts(after)];
  if (path.endsWith('/required')) return [...old].some((value) => !now.has(value));
  return [...now].some((value) => !old.has(value));
}

function lengthOf(value: Json | undefined): number {
  return typeof value === 'string' ? value.length : 0;
}

/** Every string in a definition, names of members too. */
function* textsOf(value: Json, depth = 0): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (depth > 128) return;
  else if (Array.isArray(value)) for (const one of value as readonly Json[]) yield* textsOf(one, depth + 1);
  else if (isObject(value)) {
    for (const [key, one] of Object.entries(value)) {
      yield key;
      if (one !== undefined) yield* textsOf(one, depth + 1);
    }
  }
}
