import type { BindingSettings, ServerAccess } from '../config/access-settings.ts';
import type { Tool } from '../core/call.ts';
import { type Envelope, type FrozenSnapshot, toolOf } from '../core/envelope.ts';
import { foldName } from '../core/fold-name.ts';
import { matchesGlob } from '../core/glob.ts';
import { isObject, member } from '../core/json.ts';
import { decodePercent } from '../core/percent.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import { canClimb, canClimbAsGlob } from './can-climb.ts';
import type { Guard } from './guard.ts';
import { readDefinition } from './sinks/classify-definition.ts';

export interface BindingPorts {
  readonly bindings: (snapshot: FrozenSnapshot) => readonly BindingSettings[];
  readonly access: (snapshot: FrozenSnapshot, upstream: string) => ServerAccess | undefined;
}

/**
 * The confused deputy: where all callers share one credential the upstream cannot tell them apart, so the caller's own
 * rights have to bind the values inside the arguments (requirement G10; MCP security best practices).
 */
export function bindings({ bindings, access }: BindingPorts): Guard {
  return {
    name: 'bindings',
    kinds: ['call'],
    judge(call) {
      const tool = toolOf(call);
      const all = bindings(call.snapshot);
      const shared = access(call.snapshot, tool.upstream);
      if (all.length === 0 && shared?.shared !== true) return ALLOW;
      const writes = isWriting(tool, shared);
      const applying = all.filter((one) => applies(one, tool, writes));
      if (applying.length === 0 && writes && shared?.shared === true)
        return refuse(
          tool,
          `all callers share one credential at "${tool.upstream}" and nothing binds this tool to who calls. Only the operator can change that`,
        );
      for (const binding of applying) {
        const problem = check(binding, call);
        if (problem !== undefined) return refuse(tool, problem);
      }
      return ALLOW;
    },
  };
}

/** Fail closed: a tool writes unless its approved definition, or the operator, says otherwise. */
function isWriting(tool: Tool, access: ServerAccess | undefined): boolean {
  if (access?.readOnlyTools.some((pattern) => matchesGlob(pattern, tool.name)) === true) return false;
  const readOnly = member(tool.approvedHints, 'readOnlyHint') === true;
  // A hint that its own name contradicts is worth nothing.
  return !(readOnly && readDefinition(tool.definition).sinks.length === 0);
}

function applies({ upstream, tools, writingOnly }: BindingSettings, tool: Tool, writes: boolean): boolean {
  if (upstream !== tool.upstream || (writingOnly && !writes)) return false;
  return tools === undefined || tools.some((pattern) => matchesGlob(pattern, tool.name));
}

function refuse(tool: Tool, problem: string): Verdict {
  return { kind: 'deny', code: 'denied', reason: `"${tool.publicName.slice(0, 128)}" is refused: ${problem}.` };
}

/** What is wrong with the call under this binding. The attribute itself is not told: a model would try the next one. */
function check(binding: BindingSettings, call: Envelope): string | undefined {
  const { path } = binding;
  const own = findOwn(binding, call);
  const name = path.join('.');
  const attribute = binding.attributes.join('" or "');
  if (own.length === 0) return `the caller has no "${attribute}", which "${name}" has to agree with`;
  const values = findValues(call.body, path);
  if (values.length === 0) return `it must name "${name}" once, because its callers are kept apart by it`;
  return values.every((value) => own.some((one) => agrees(binding, value, one)))
    ? undefined
    : `"${name}" is not the caller's own "${attribute}"`;
}

/** Every value of every attribute that counts; an empty one is none. */
function findOwn({ attributes: names }: BindingSettings, call: Envelope): readonly string[] {
  const { attributes = {} } = call.client.principal;
  return names
    .flatMap((name) => (Object.hasOwn(attributes, name) ? (attributes[name] ?? []) : []))
    .filter((value) => value !== '');
}

const MISSING = Symbol('missing');

/** Every value at the path; of a list each element. A step that leads nowhere in one of them counts as a value that agrees with nothing. */
function findValues(root: unknown, path: readonly string[]): readonly unknown[] {
  let at: unknown[] = [root];
  for (const [i, step] of path.entries()) {
    at = at.flatMap(unfold).map((value) => memberAt(value, step));
    if (i === 0 && at[0] === MISSING) return [];
  }
  return at.flatMap(unfold);
}

/** A member by its name. Two names that one server or another takes for the same leave open which one it reads. */
function memberAt(value: unknown, name: string): unknown {
  if (!isObject(value) || !Object.hasOwn(value, name)) return MISSING;
  const folded = foldArgument(name);
  for (const key of Object.keys(value)) if (key !== name && foldArgument(key) === folded) return MISSING;
  return value[name];
}

/** PHP, Rails and others read `repo[]` and `repo[0]` as `repo`, where arguments become a query or a form. */
function foldArgument(name: string): string {
  const plain = decodePercent(name) ?? name;
  const bracket = plain.indexOf('[', 1);
  return foldName(bracket < 0 ? plain : plain.slice(0, bracket));
}

function unfold(value: unknown): unknown[] {
  return Array.isArray(value) ? (value.length === 0 ? [MISSING] : value.flatMap(unfold)) : [value];
}

function agrees({ match, ignoreCase }: BindingSettings, value: unknown, own: string): boolean {
  // A number beyond 2^53 is another one to us than to a server that reads its digits.
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string') return false;
  if (match === 'path') return isBelow(text, own, ignoreCase);
  return text === own || (ignoreCase && isPlain(text) && fold(text) === fold(own));
}

/** Only ASCII letters: what else folds into a letter (`K`, `ſ`) does so for some servers and not for others. */
function fold(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The same path or one below it, read in the only way it can be read. */
function isBelow(path: string, own: string, ignoreCase: boolean): boolean {
  if (!isPlain(path) || canClimb(path) || canClimbAsGlob(path) || !path.split('/').every(isSegment)) return false;
  const root = own.endsWith('/') ? own.slice(0, -1) : own;
  const [inside, around] = ignoreCase ? [fold(path), fold(root)] : [path, root];
  return inside === around || inside.startsWith(`${around}/`);
}

/** Nothing a server may decode, normalise, fold or strip into something else. */
function isPlain(text: string): boolean {
  return (
    !/[\\%\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(text) &&
    text === text.normalize('NFKC') &&
    text === text.trim()
  );
}

function isSegment(segment: string, i: number, all: readonly string[]): boolean {
  if (segment === '') return i === 0 || i === all.length - 1;
  // Windows drops dots and spaces at the end of a name, and reads `name:stream` as `name`.
  return !/^\.+$/.test(segment) && !/[. ]$/.test(segment) && (i === 0 || !segment.includes(':'));
}
