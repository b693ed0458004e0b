import { isOneSlip, nearestName } from '../../config/nearest-name.ts';
import { isObject } from '../../core/json.ts';
import type { PolicyJson } from './cedar.ts';
import { WEEKDAYS } from './time-parts.ts';

/** What policies may name. What is left out is not checked. */
export interface KnownNames {
  /** Of the configuration, those that are switched off included. */
  readonly servers?: ReadonlySet<string> | undefined;
  readonly groups?: KnownGroups | undefined;
  /** The tools a server is known to offer; `undefined`: its list is not known. */
  readonly tools?: ((server: string) => ReadonlySet<string> | undefined) | undefined;
}

export interface KnownGroups {
  readonly names: ReadonlySet<string>;
  /** There are no others; else only a name close to a known one is taken for a mistake. */
  readonly isWhole: boolean;
}

/** Entity types whose ids are written `server/name`. */
export const OFFERED: ReadonlySet<string> = new Set(['Tool', 'Resource', 'Prompt']);

const KINDS: readonly string[] = ['key', 'oauth', 'mtls', 'os', 'stdio', 'open'];
/** What ids of principals begin with, or are. */
const PRINCIPALS: readonly string[] = ['key:', 'oauth:', 'mtls:', 'os:', 'local', 'stdio', 'anyone'];

/** What a policy names that is not there: it could never match, and a forbid that never matches protects nothing. */
export function checkNames(json: PolicyJson, names: KnownNames): readonly string[] {
  const problems = new Set<string>();
  const report = (problem: string | undefined): void => {
    if (problem !== undefined) problems.add(problem);
  };
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (!isObject(node)) return;
    const { type, id } = node as { readonly type?: unknown; readonly id?: unknown };
    if (typeof type === 'string' && typeof id === 'string') report(checkEntity(type, id, names));
    for (const problem of checkComparison(node)) report(problem);
    Object.values(node).forEach(visit);
  };
  visit(json);
  return [...problems];
}

/** Names of servers hold no slash. */
export function serverOf(id: string): string {
  return id.split('/', 1)[0] ?? '';
}

function checkEntity(type: string, id: string, names: KnownNames): string | undefined {
  if (type === 'Server') return checkServer(id, names);
  if (OFFERED.has(type)) return checkOffered(type, id, names);
  if (type === 'Group') return checkGroup(id, names);
  if (type !== 'Principal') return undefined;
  if (PRINCIPALS.some((start) => (start.endsWith(':') ? id.startsWith(start) : id === start))) return undefined;
  return `no principal is called "${id}", so this policy can never match; ids are key:<id>, oauth:<issuer>#<subject>, mtls:<fingerprint>, os:<user>, local, stdio or anyone`;
}

function checkServer(name: string, { servers }: KnownNames): string | undefined {
  if (servers === undefined || servers.has(name)) return undefined;
  return `no server is called "${name}", so this policy can never match; ${suggest(name, servers, 'the configuration has')}`;
}

function checkOffered(type: string, id: string, names: KnownNames): string | undefined {
  const server = serverOf(id);
  if (server.length === id.length || server === '')
    return `${type}::"${id}" names no server, so this policy can never match; write ${type}::"server/${type === 'Resource' ? 'uri' : 'name'}"`;
  const unknown = checkServer(server, names);
  if (unknown !== undefined || type !== 'Tool') return unknown;
  const tools = names.tools?.(server);
  const name = id.slice(server.length + 1);
  if (tools === undefined || tools.has(name)) return undefined;
  return `the server "${server}" has no tool "${name}"; ${suggest(name, tools, 'it has')}`;
}

function checkGroup(name: string, { groups }: KnownNames): string | undefined {
  if (groups === undefined || groups.names.has(name)) return undefined;
  // Groups that only keys and tokens know may be called nearly the same.
  if (!groups.isWhole && ![...groups.names].some((known) => isOneSlip(name, known))) return undefined;
  return `no group is called "${name}" in the configuration; ${suggest(name, groups.names, 'it has')}, or name it in policy.groups`;
}

const MOST_NAMED = 8;

function suggest(name: string, known: ReadonlySet<string>, lead: string): string {
  const meant = nearestName(name, known);
  if (meant !== undefined) return `did you mean "${meant}"`;
  const some = [...known].slice(0, MOST_NAMED).join(', ');
  return known.size === 0 ? `${lead} none` : `${lead} ${some}${known.size > MOST_NAMED ? ', …' : ''}`;
}

/** Attributes that hold one of few texts, and numbers within bounds. */
const CLOSED: ReadonlyMap<string, readonly string[]> = new Map([
  ['principal.kind', KINDS],
  ['context.time.weekday', WEEKDAYS],
]);
const BOUNDED: ReadonlyMap<string, number> = new Map([
  ['context.time.hour', 23],
  ['context.time.minute', 59],
]);

function checkComparison(node: object): readonly string[] {
  const [operator = '', operands] = Object.entries(node)[0] ?? [];
  if (!isObject(operands)) return [];
  const { left, right } = operands as { readonly left?: unknown; readonly right?: unknown };
  if (operator === 'contains') return literals(left).flatMap((value) => checkText(pathOf(right), value));
  const path = pathOf(left);
  const value = constantOf(right);
  if (operator === '==' || operator === '!=')
    return [
      ...checkText(path, value),
      ...checkText(pathOf(right), constantOf(left)),
      ...checkNumber(path, value, (max, given) => given < 0 || given > max),
    ];
  const never = NEVER.get(operator);
  return never === undefined ? [] : checkNumber(path, value, never);
}

/** Comparisons `path <operator> value` that no value from 0 to `max` satisfies. */
const NEVER: ReadonlyMap<string, (max: number, value: number) => boolean> = new Map([
  ['<', (_: number, value: number) => value <= 0],
  ['<=', (_: number, value: number) => value < 0],
  ['>', (max: number, value: number) => value >= max],
  ['>=', (max: number, value: number) => value > max],
]);

function checkText(path: string | undefined, value: unknown): readonly string[] {
  const allowed = path === undefined ? undefined : CLOSED.get(path);
  if (allowed === undefined || typeof value !== 'string' || allowed.includes(value)) return [];
  const meant = nearestName(value, allowed);
  return [
    `${path} is never "${value}"; ${meant === undefined ? `it is one of ${allowed.join(', ')}` : `did you mean "${meant}"`}`,
  ];
}

function checkNumber(
  path: string | undefined,
  value: unknown,
  isNever: (max: number, value: number) => boolean,
): readonly string[] {
  const max = path === undefined ? undefined : BOUNDED.get(path);
  if (max === undefined || typeof value !== 'number' || !isNever(max, value)) return [];
  return [`${path} is from 0 to ${max}, so this comparison with ${value} can never match`];
}

/** `context.time.hour`, as written. */
function pathOf(node: unknown): string | undefined {
  if (!isObject(node)) return undefined;
  const { Var: variable } = node as { readonly Var?: unknown };
  if (typeof variable === 'string') return variable;
  const reached = (node as { readonly '.'?: { readonly left: unknown; readonly attr: string } })['.'];
  const before = reached === undefined ? undefined : pathOf(reached.left);
  return before === undefined ? undefined : `${before}.${reached?.attr}`;
}

function constantOf(node: unknown): unknown {
  return isObject(node) ? (node as { readonly Value?: unknown }).Value : undefined;
}

function literals(node: unknown): readonly unknown[] {
  const items = isObject(node) ? (node as { readonly Set?: unknown }).Set : undefined;
  return Array.isArray(items) ? items.map(constantOf) : [];
}
