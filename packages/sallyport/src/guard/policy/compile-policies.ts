import { createHash } from 'node:crypto';
import { nearestName } from '../../config/nearest-name.ts';
import { FaultError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { type ArgumentShape, joinShapes, readArgumentShape } from './argument-shape.ts';
import type { CedarLibrary, DetailedError, PolicyJson } from './cedar.ts';
import { toCedarSchema } from './schema.ts';
import type { PolicySource } from './starter-sets.ts';

/** One checked policy. */
export interface Policy {
  /** `@id`, else `file:line`. */
  readonly id: string;
  readonly isNamed: boolean;
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly effect: 'permit' | 'forbid';
  /** The one server its scope names; `undefined`: any. */
  readonly server: string | undefined;
  /** The one tool its scope names, as `server/name`; `undefined`: any. */
  readonly tool: string | undefined;
  /** Reads arguments, labels, the client or the time: such a policy is asked on every call. */
  readonly isPerCall: boolean;
  /** Can tell two tools of one server with equal hints and effects apart. */
  readonly namesTools: boolean;
  readonly readsSinks: boolean;
  /** It speaks of results: its scope names `release`. */
  readonly onRelease: boolean;
  readonly shape: ArgumentShape;
  /** `@ask` of a permit, `@reason` of a forbid. */
  readonly reason: string | undefined;
  readonly asks: boolean;
}

export interface CompiledPolicies {
  /** Of all texts: equal versions decide equally. */
  readonly version: string;
  readonly policies: readonly Policy[];
}

export interface PolicyProblem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/**
 * Checks policies before they decide anything: syntax, names, types, rules that can never match, and what we ask beyond
 * Cedar (annotations that are known, arguments used as one thing).
 * @param servers names a policy may speak of; left out: any
 * @throws FaultError `config` with every problem: file, line, cause and fix.
 */
export function compilePolicies(
  cedar: CedarLibrary,
  sources: readonly PolicySource[],
  servers?: Iterable<string>,
): CompiledPolicies {
  const known = servers === undefined ? undefined : new Set(servers);
  const problems: PolicyProblem[] = [];
  const policies = sources.flatMap((source) => compileSource(cedar, source, { problems, servers: known }));
  checkTogether(policies, problems);
  if (problems.length > 0) throw toPolicyFault(problems);
  const hash = createHash('sha256');
  for (const { file, text } of sources) hash.update(`${file.length} ${text.length} `).update(file).update(text);
  return { version: hash.digest('hex').slice(0, 12), policies };
}

function toPolicyFault(problems: readonly PolicyProblem[]): FaultError {
  const lines = problems.map(({ file, line, message }) => `${file}, line ${line}: ${message}.`);
  const [first = ''] = lines;
  const message =
    lines.length === 1
      ? first
      : `The policies have ${lines.length} problems:\n${lines.map((line) => `  - ${line}`).join('\n')}`;
  return new FaultError('config', message, { data: { problems: problems.map((problem) => ({ ...problem })) } });
}

interface Findings {
  readonly problems: PolicyProblem[];
  readonly servers: ReadonlySet<string> | undefined;
}

function compileSource(cedar: CedarLibrary, { file, text }: PolicySource, findings: Findings): Policy[] {
  const parts = cedar.policySetTextToParts(text);
  if (parts.type === 'failure') {
    for (const error of parts.errors) {
      findings.problems.push({ file, line: lineAt(text, error), message: toMessage(error) });
    }
    return [];
  }
  const starts = findStarts(text, [...parts.policies, ...parts.policy_templates]);
  for (const template of parts.policy_templates) {
    const line = lineOf(text, starts.get(template)?.[0] ?? 0);
    findings.problems.push({
      file,
      line,
      message: 'a template (?principal, ?resource) has nobody to fill it in; write the names',
    });
  }
  const policies = parts.policies
    .map((part) => ({ part, start: starts.get(part)?.shift() ?? 0 }))
    .sort((a, b) => a.start - b.start)
    .flatMap(({ part, start }) => compileOne(cedar, { file, text: part, line: lineOf(text, start) }, findings) ?? []);
  return nameEach(policies);
}

/** Without an `@id`, several policies on one line are told apart by a number. */
function nameEach(policies: readonly Policy[]): Policy[] {
  const taken = new Map<number, number>();
  return policies.map((policy) => {
    if (policy.isNamed) return policy;
    const count = (taken.get(policy.line) ?? 0) + 1;
    taken.set(policy.line, count);
    return count === 1 ? policy : { ...policy, id: `${policy.id}.${count}` };
  });
}

/** Where each part stands in the text; equal parts stand in several places. */
function findStarts(text: string, parts: readonly string[]): Map<string, number[]> {
  const starts = new Map<string, number[]>();
  for (const part of new Set(parts)) {
    const found: number[] = [];
    for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found.push(at);
    starts.set(part, found);
  }
  return starts;
}

function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Cedar counts bytes. */
function lineAt(text: string, error: DetailedError): number {
  const bytes = Buffer.from(text).subarray(0, error.sourceLocations?.[0]?.start ?? 0);
  return lineOf(text, bytes.toString().length);
}

function toMessage({ message, help }: DetailedError): string {
  const plain = message
    .replace(/^failed to parse polic(?:y|ies) from string: /, '')
    .replace(/^for policy `[^`]*`[,:] /, '')
    .replace(/[.?\s]+$/, '');
  if (help === null) return plain;
  // Cedar says `e` for "the entity"; only principals have attributes that may be missing.
  return `${plain}; ${help.replace(/[.?\s]+$/, '').replace('`e has ', '`principal has ')}`;
}

interface Part {
  readonly file: string;
  readonly text: string;
  readonly line: number;
}

function compileOne(cedar: CedarLibrary, part: Part, { problems, servers }: Findings): Policy | undefined {
  const { file, text, line } = part;
  const before = problems.length;
  const refuse = (message: string, at = line): void => {
    if (!problems.some((one) => one.file === file && one.line === at && one.message === message))
      problems.push({ file, line: at, message });
  };
  const read = cedar.policyToJson(text);
  if (read.type === 'failure') {
    for (const error of read.errors) refuse(toMessage(error));
    return undefined;
  }
  const { json } = read;
  checkAnnotations(json, refuse);
  const { shape, problems: readings } = readArgumentShape(json.conditions.map(({ body }) => body));
  for (const reading of readings) refuse(reading);
  const names = findNamedServers(json);
  for (const name of names) refuseUnknown(name, { servers, refuse });
  const found = validate(cedar, text, shape);
  for (const error of found) refuse(toMessage(error), line + lineAt(text, error) - 1);
  return problems.length > before ? undefined : toPolicy(json, part, shape);
}

/** What Cedar's validator said of a text: the check takes milliseconds, and most reloads change no policy. */
const validated = new Map<string, readonly DetailedError[]>();
const MAX_VALIDATED = 2_000;

function validate(cedar: CedarLibrary, text: string, shape: ArgumentShape): readonly DetailedError[] {
  const known = validated.get(text);
  if (known !== undefined) return known;
  const checked = cedar.validate({
    schema: toCedarSchema(shape),
    policies: { staticPolicies: text },
    validationSettings: { mode: 'strict' },
  });
  if (checked.type === 'failure') return checked.errors;
  const { validationErrors: errors, validationWarnings: warnings } = checked;
  const found = (errors.length > 0 ? errors : warnings).map(({ error }) => error);
  if (validated.size >= MAX_VALIDATED) validated.clear();
  validated.set(text, found);
  return found;
}

const ANNOTATIONS: readonly string[] = ['id', 'ask', 'reason', 'description'];

/** A mistyped `@ask` would permit without asking. */
function checkAnnotations({ annotations = {}, effect }: PolicyJson, refuse: (message: string) => void): void {
  for (const name of Object.keys(annotations)) {
    if (ANNOTATIONS.includes(name)) continue;
    const meant = nearestName(name, ANNOTATIONS);
    refuse(
      `@${name} means nothing here; ${meant === undefined ? `the annotations are ${ANNOTATIONS.map((one) => `@${one}`).join(', ')}` : `did you mean @${meant}`}`,
    );
  }
  if (effect === 'forbid' && Object.hasOwn(annotations, 'ask'))
    refuse('@ask stands on a forbid, which never asks; put it on a permit, or use @reason');
  if (effect === 'permit' && Object.hasOwn(annotations, 'reason'))
    refuse('@reason stands on a permit, where nobody reads it; put it on a forbid, or use @ask or @description');
  if (Object.hasOwn(annotations, 'id') && !annotations['id']?.trim())
    refuse('@id is empty; give it a name or leave it out');
}

/** A forbid about a server that is not there protects nothing: a near name is a mistake, another may belong to another machine. */
function refuseUnknown(
  name: string,
  {
    servers,
    refuse,
  }: { readonly servers: ReadonlySet<string> | undefined; readonly refuse: (message: string) => void },
): void {
  if (servers === undefined || servers.has(name)) return;
  const meant = nearestName(name, servers);
  if (meant !== undefined)
    refuse(`no server is called "${name}", so this policy can never match; did you mean "${meant}"`);
}

/** Servers named anywhere in a policy, by themselves or in the name of a tool. */
function findNamedServers(json: PolicyJson): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (!isObject(node)) return;
    const { type, id } = node;
    if (typeof id === 'string' && type === 'Server') names.add(id);
    if (typeof id === 'string' && type === 'Tool') names.add(serverOf(id));
    Object.values(node).forEach(visit);
  };
  visit(json);
  return names;
}

/** A tool is written `Tool::"server/name"`; names of servers hold no slash. */
function serverOf(tool: string): string {
  return tool.split('/', 1)[0] ?? '';
}

function toPolicy(json: PolicyJson, part: Part, shape: ArgumentShape): Policy {
  const { file, line, text } = part;
  const { effect, annotations = {} } = json;
  const written = JSON.stringify(json);
  const asks = Object.hasOwn(annotations, 'ask');
  const reason = (asks ? annotations['ask'] : annotations['reason'])?.trim();
  return {
    id: annotations['id'] ?? `${file}:${line}`,
    isNamed: Object.hasOwn(annotations, 'id'),
    file,
    line,
    text,
    effect,
    ...toScope(json.resource),
    isPerCall: written.includes('"Var":"context"'),
    namesTools: /"type":"Tool"|"attr":"name"|"attr":\[/.test(written),
    readsSinks: written.includes('"attr":"sinks"'),
    onRelease: JSON.stringify(json.action).includes('"id":"release"'),
    shape,
    reason: reason === '' ? undefined : reason,
    asks,
  };
}

function toScope(resource: PolicyJson['resource']): Pick<Policy, 'server' | 'tool'> {
  const scope = resource.op === 'is' ? resource.in : resource;
  if (scope === undefined || !('entity' in scope)) return { server: undefined, tool: undefined };
  const { type, id } = '__entity' in scope.entity ? scope.entity.__entity : scope.entity;
  if (type === 'Tool') return { server: serverOf(id), tool: id };
  return { server: type === 'Server' ? id : undefined, tool: undefined };
}

/** What no policy can know alone: two of one name, and two that take one argument for different things. */
function checkTogether(policies: readonly Policy[], problems: PolicyProblem[]): void {
  const byId = new Map<string, Policy>();
  for (const policy of policies) {
    const { id, file, line } = policy;
    const first = byId.get(id);
    if (first === undefined) byId.set(id, policy);
    else
      problems.push({
        file,
        line,
        message: `the id "${id}" is taken by the policy at ${first.file}, line ${first.line}; give one of them another @id`,
      });
  }
  const names = new Set(policies.map(({ server }) => server));
  for (const name of names) {
    const slice = sliceOf(policies, name);
    if (joinShapes(slice.map(({ shape }) => shape)).problems.length === 0) continue;
    for (let end = 2; end <= slice.length; end++) {
      const clash = joinShapes(slice.slice(0, end).map(({ shape }) => shape)).problems[0];
      const last = slice[end - 1];
      if (clash === undefined || last === undefined) continue;
      const message = `with the policies before it, ${clash}`;
      if (!problems.some((one) => one.file === last.file && one.line === last.line && one.message === message))
        problems.push({ file: last.file, line: last.line, message });
      break;
    }
  }
}

/** The policies that can say something about this server. */
export function sliceOf(policies: readonly Policy[], server: string | undefined): readonly Policy[] {
  return policies.filter((policy) => policy.server === undefined || policy.server === server);
}
