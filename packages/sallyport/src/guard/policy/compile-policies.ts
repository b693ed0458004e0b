import { createHash } from 'node:crypto';
import { FaultError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { runAtOnce } from '../../core/pace.ts';
import { type ArgumentShape, joinShapes, readArgumentShape } from './argument-shape.ts';
import type { CedarLibrary, DetailedError, PolicyJson } from './cedar.ts';
import { checkAnnotations } from './check-annotations.ts';
import { checkNames, type KnownNames, OFFERED, serverOf } from './check-names.ts';
import { type PrincipalReads, readPrincipal } from './principal-reads.ts';
import type { PolicySource } from './starter-sets.ts';
import { validateInSteps } from './validate-policies.ts';

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
  /** The one tool, resource or prompt its scope names, as `Tool server/name`; `undefined`: any. */
  readonly item: string | undefined;
  readonly principal: PrincipalReads;
  /** A policy that reads any of it is asked on every call. */
  readonly reads: ReadonlySet<ContextPart>;
  /** Can tell two tools of one server with equal hints and effects apart, or two resources, or two prompts. */
  readonly namesItems: boolean;
  /** It tells resources apart by their URI. */
  readonly namesUris: boolean;
  readonly readsSinks: boolean;
  /** It speaks of results: its scope names `release`. */
  readonly onRelease: boolean;
  readonly shape: ArgumentShape;
  /** `@ask` of a permit, `@reason` of a forbid. */
  readonly reason: string | undefined;
  readonly asks: boolean;
  /** `@people("2")` of a permit that asks. */
  readonly people: 2 | undefined;
}

const CONTEXT_PARTS = ['arguments', 'labels', 'client', 'time'] as const;
export type ContextPart = (typeof CONTEXT_PARTS)[number];

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
 * @param names what policies may speak of; left out: anything
 * @throws FaultError `config` with every problem: file, line, cause and fix.
 */
export function compilePolicies(
  cedar: CedarLibrary,
  sources: readonly PolicySource[],
  names: KnownNames = {},
): CompiledPolicies {
  return runAtOnce(compileInSteps(cedar, sources, names));
}

/** The same in steps of a few milliseconds. @throws FaultError `config` */
export function* compileInSteps(
  cedar: CedarLibrary,
  sources: readonly PolicySource[],
  names: KnownNames,
): Generator<undefined, CompiledPolicies> {
  const drafts: Draft[] = [];
  const findings: Findings = { problems: [], names };
  for (const source of sources) {
    const parts = cutSource(cedar, source, findings);
    yield;
    for (const part of parts) {
      const draft = draftOf(cedar, part, findings);
      if (draft !== undefined) drafts.push(draft);
      yield;
    }
  }
  const errors = yield* validateInSteps(cedar, drafts);
  for (const { part } of drafts)
    for (const error of errors.get(part.text) ?? [])
      refuse(findings, { file: part.file, line: part.line + lineAt(part.text, error) - 1 }, toMessage(error));
  const { problems } = findings;
  const policies = sources.flatMap(({ file }) =>
    nameEach(drafts.filter(({ part }) => part.file === file).map((draft) => toPolicy(draft))),
  );
  if (problems.length === 0) checkTogether(policies, problems);
  if (problems.length > 0) throw toPolicyFault(inOrder(problems, sources));
  const hash = createHash('sha256');
  for (const { file, text } of sources) hash.update(`${file.length} ${text.length} `).update(file).update(text);
  return { version: hash.digest('hex').slice(0, 12), policies };
}

function inOrder(problems: readonly PolicyProblem[], sources: readonly PolicySource[]): readonly PolicyProblem[] {
  const place = new Map(sources.map(({ file }, index) => [file, index]));
  return [...problems].sort((a, b) => (place.get(a.file) ?? 0) - (place.get(b.file) ?? 0) || a.line - b.line);
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
  readonly names: KnownNames;
}

function refuse({ problems }: Findings, { file, line }: Place, message: string): void {
  if (!problems.some((one) => one.file === file && one.line === line && one.message === message))
    problems.push({ file, line, message });
}

interface Place {
  readonly file: string;
  readonly line: number;
}

interface Part extends Place {
  readonly text: string;
}

/** A policy that reads well alone; its types are checked together with others. */
interface Draft {
  readonly json: PolicyJson;
  readonly part: Part;
  readonly shape: ArgumentShape;
}

/** The policies of one text, in the order of writing. */
function cutSource(cedar: CedarLibrary, { file, text }: PolicySource, findings: Findings): readonly Part[] {
  const parts = cedar.policySetTextToParts(text);
  if (parts.type === 'failure') {
    for (const error of parts.errors) refuse(findings, { file, line: lineAt(text, error) }, toMessage(error));
    return [];
  }
  const starts = findStarts(text, [...parts.policies, ...parts.policy_templates]);
  for (const template of parts.policy_templates) {
    const line = lineOf(text, starts.get(template)?.[0] ?? 0);
    refuse(findings, { file, line }, 'a template (?principal, ?resource) has nobody to fill it in; write the names');
  }
  return parts.policies
    .map((part) => ({ part, start: starts.get(part)?.shift() ?? 0 }))
    .sort((a, b) => a.start - b.start)
    .map(({ part, start }) => ({ file, text: part, line: lineOf(text, start) }));
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
    .replace(/[.?\s]{1,16}$/, '');
  if (help === null) return plain;
  // Cedar says `e` for "the entity"; only principals have attributes that may be missing.
  return `${plain}; ${help.replace(/[.?\s]{1,16}$/, '').replace('`e has ', '`principal has ')}`;
}

function draftOf(cedar: CedarLibrary, part: Part, findings: Findings): Draft | undefined {
  const read = cedar.policyToJson(part.text);
  if (read.type === 'failure') {
    for (const error of read.errors) refuse(findings, part, toMessage(error));
    return undefined;
  }
  const { json } = read;
  const { shape, problems: readings } = readArgumentShape(json.conditions.map(({ body }) => body));
  const problems = [...checkAnnotations(json), ...readings, ...checkNames(json, findings.names)];
  for (const problem of problems) refuse(findings, part, problem);
  return { json, part, shape };
}

function toPolicy({ json, part, shape }: Draft): Policy {
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
    principal: readPrincipal(json),
    reads: findContextParts(json),
    namesItems: /"type":"(?:Tool|Resource|Prompt)"|"attr":"(?:name|uri)"|"attr":\[/.test(written),
    namesUris: /"type":"Resource"|"attr":"(?:name|uri)"|"attr":\[/.test(written),
    readsSinks: written.includes('"attr":"sinks"'),
    onRelease: JSON.stringify(json.action).includes('"id":"release"'),
    shape,
    reason: reason === '' ? undefined : reason,
    asks,
    people: annotations['people'] === '2' ? 2 : undefined,
  };
}

/** What of `context` a policy reads. One that uses it as a whole is refused before. */
function findContextParts(json: PolicyJson): ReadonlySet<ContextPart> {
  const found = new Set<ContextPart>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (!isObject(node)) return;
    const { left, attr } = node as { readonly left?: unknown; readonly attr?: unknown };
    if (isObject(left) && (left as { readonly Var?: unknown }).Var === 'context')
      for (const part of CONTEXT_PARTS) if (attr === part || (Array.isArray(attr) && attr[0] === part)) found.add(part);
    Object.values(node).forEach(visit);
  };
  visit(json);
  // Fail safe: what reads the context in a way not known here is asked on every call.
  if (found.size === 0 && JSON.stringify(json).includes('"Var":"context"')) return new Set(CONTEXT_PARTS);
  return found;
}

function toScope(resource: PolicyJson['resource']): Pick<Policy, 'server' | 'item'> {
  const scope = resource.op === 'is' ? resource.in : resource;
  if (scope === undefined || !('entity' in scope)) return { server: undefined, item: undefined };
  const { type, id } = '__entity' in scope.entity ? scope.entity.__entity : scope.entity;
  if (OFFERED.has(type)) return { server: serverOf(id), item: `${type} ${id}` };
  return { server: type === 'Server' ? id : undefined, item: undefined };
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
    const slice = policies.filter((policy) => isAbout(policy, name));
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

/** Can the policy say something about this server? */
export function isAbout({ server }: Policy, name: string | undefined): boolean {
  return server === undefined || server === name;
}
