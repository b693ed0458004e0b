import type { Finding } from '../../../core/finding.ts';
import { isObject, type Json, type JsonObject, member } from '../../../core/json.ts';
import { Findings, isBlock, type Treatment } from './findings.ts';
import { mayTextHoldDemand } from './may-hold.ts';
import { SCAN_META, toMeta } from './present-result.ts';
import { MIN_NAME, readFixed, readName, toShortStep } from './read-fixed.ts';
import type { Tail } from './tail.ts';

/** A notification of a server on its way to a client. */
export interface Notice {
  readonly method: string;
  readonly params: JsonObject;
}

export interface NoticeReading {
  readonly findings: readonly Finding[];
  /** The notification as the client gets it; `undefined`: it does not. */
  readonly params: JsonObject | undefined;
}

/** The member that is shown to people and models (MCP progress, logging, tasks). */
const SAID: ReadonlyMap<string, string> = new Map([
  ['notifications/progress', 'message'],
  ['notifications/message', 'data'],
  ['notifications/tasks/status', 'statusMessage'],
  ['notifications/tasks', 'statusMessage'],
]);
/** What is left of a notification that is withheld: numbers, levels and states say no sentence. */
const LEFT: ReadonlyMap<string, readonly string[]> = new Map([
  ['notifications/progress', ['progressToken', 'progress', 'total']],
  ['notifications/message', ['level']],
]);

/**
 * Reads notifications of a server: progress, logs, states of tasks, and those of an unknown method.
 * @param withholds a text of the block tier is withheld
 * @returns `undefined`: it goes on as it came
 */
export function readNotice(
  { method, params }: Notice,
  {
    treatment,
    tail,
    withholds,
  }: { readonly treatment: Treatment; readonly tail: () => Tail; readonly withholds: boolean },
): NoticeReading | undefined {
  const key = SAID.get(method);
  let found: Findings | undefined;
  let said: string | undefined;
  for (const name of Object.keys(params)) {
    const value = member(params, name);
    // The fast path: numbers and the token of the client's own.
    if (typeof value === 'number' || name === 'progressToken') continue;
    if (name.length >= MIN_NAME) {
      found ??= new Findings(treatment);
      readName(name, '', found);
    }
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) continue;
    const written = typeof value === 'string' ? value : JSON.stringify(value);
    if (name !== key) {
      if (!mayTextHoldDemand(written) || tail().hasRead(name, written)) continue;
      found ??= new Findings(treatment);
      const before = found.all.length;
      readFixed(value, `/${toShortStep(name)}`, found);
      if (found.all.length === before) tail().noteClean(name, written);
    } else if (typeof value === 'string') {
      found ??= new Findings(treatment);
      said = sayText(value, { found, where: `/${name}`, tail: tail() });
    } else {
      const stream = tail();
      if (stream.isRepeat(written)) continue;
      const across = stream.next(written);
      if (across.length === 0 && !mayTextHoldDemand(written)) continue;
      found ??= new Findings(treatment);
      readFixed(value, `/${toShortStep(name)}`, found);
      for (const finding of across) found.add({ ...finding, where: `/${name}` });
      if (found.all.length > 0) stream.forget();
    }
  }
  if (found === undefined || found.all.length === 0) return undefined;
  return settle({ method, params }, found, { key, said, withholds });
}

/** `undefined`: as it came. */
function sayText(
  text: string,
  { found, where, tail }: { readonly found: Findings; readonly where: string; readonly tail: Tail },
): string | undefined {
  if (tail.isRepeat(text)) return undefined;
  const across = tail.next(text);
  if (across.length === 0 && !mayTextHoldDemand(text)) return undefined;
  const before = found.all.length;
  const shown = found.treat(text, where, across);
  if (found.all.length > before) tail.forget();
  return shown;
}

function settle(
  { method, params }: Notice,
  found: Findings,
  {
    key,
    said,
    withholds,
  }: { readonly key: string | undefined; readonly said: string | undefined; readonly withholds: boolean },
): NoticeReading {
  const { all: findings, treatment } = found;
  const given = member(params, '_meta');
  const meta: JsonObject = { [SCAN_META]: toMeta(findings, treatment) };
  if (!(withholds && findings.some(isBlock))) {
    const whole: Record<string, Json> = { ...params, _meta: { ...(isObject(given) ? given : {}), ...meta } };
    if (said !== undefined && key !== undefined) whole[key] = said;
    return { findings, params: whole };
  }
  const left = LEFT.get(method);
  if (left === undefined || key === undefined) return { findings, params: undefined };
  const rest: Record<string, Json> = {};
  for (const name of left) {
    const value = member(params, name);
    if (typeof value === 'number' || name === 'progressToken' || (typeof value === 'string' && value.length < MIN_NAME))
      rest[name] = value ?? null;
  }
  const ids = [...new Set(findings.filter(isBlock).map(({ id }) => id))].join(', ');
  rest[key] = `[Sallyport: a message of the server "${treatment.server}" is withheld. Found in it: ${ids}.]`;
  return { findings, params: { ...rest, _meta: meta } };
}
