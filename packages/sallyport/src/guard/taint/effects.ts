import { definitionOf, type Envelope } from '../../core/envelope.ts';
import type { SinkClass } from '../../core/sink.ts';
import { readDefinition } from '../sinks/classify-definition.ts';
import { PEOPLE } from '../sinks/read-change.ts';
import { roleOf } from './roles.ts';
import { isInsideRoots } from './roots.ts';
import { walkLeaves } from './walk-leaves.ts';

/**
 * What a call does: `effect`, where its definition or its arguments show that it reaches others or destroys something; `change`,
 * where it only changes what the server has of its own (a file inside the roots, a note); else `none`.
 */
export type Deed = 'none' | 'change' | 'effect';

/** Where the operator lets a server work, and whose home `~` is. */
export interface Places {
  /** `undefined`: it is not known where the server keeps its files. */
  readonly rootsOf: (upstream: string) => readonly string[] | undefined;
  readonly home: string;
}

/** A missing hint is no evidence: 63 % of real tools say nothing of whether they only read. */
export function readDeed(call: Envelope, sinks: readonly SinkClass[], places: Places): Deed {
  if (sinks.length > 0) return 'effect';
  const { change } = readDefinition(definitionOf(call));
  if (change === 'none') return 'none';
  if (change === 'runs') return runsMore(call) ? 'effect' : 'none';
  const reaches = change === 'reaches' || (change === 'invites' && namesPeople(call));
  return reaches || writesOutside(call, places) ? 'effect' : 'change';
}

const QUERY = /^(?:query|queries|q|cypher|graphql)$/i;
/** A statement that only reads, by its first word; one that also writes names another verb further on. */
const READING = /^[\s(;]*(?:select|with|show|describe|desc|explain|pragma|values|match)\b/i;
const WRITING =
  /(?:^|[\s(;])(?:insert\s{1,20}into|update\s{1,20}\S{1,200}\s{1,20}set|delete|drop|alter|create|grant|revoke|truncate|merge|replace\s{1,20}into|call|exec(?:ute)?|copy|attach|vacuum|set|into\s{1,20}(?:out|dump)file|detach|mutation)\b/i;
/** Digits and operators: no program, once the names of functions are taken out. */
const ARITHMETIC = /^[\d\s+\-*/().,^%!=<>π√×÷]*$/;
const FUNCTIONS =
  /\b(?:a?(?:sin|cos|tan)h?|sqrt|cbrt|log(?:2|10)?|ln|exp|abs|pow|min|max|mean|sum|round|floor|ceil|mod|pi|e|avg|median)\b/gi;

/** Does a tool that runs what it is given get more than a calculation or a statement that only reads? */
function runsMore({ body: given }: Envelope): boolean {
  return walkLeaves(given).leaves.some(({ key, text, isName, isNumber }) => {
    if (isName || isNumber) return false;
    if (QUERY.test(key)) return WRITING.test(text);
    if (roleOf(key, text) !== 'command' || ARITHMETIC.test(text.replace(FUNCTIONS, ''))) return false;
    return !READING.test(text) || WRITING.test(text);
  });
}

function namesPeople({ body: given }: Envelope): boolean {
  return Object.entries(given).some(
    ([name, value]) =>
      PEOPLE.test(name) && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
}

/** Whether the call is an effect only for where it writes. */
export function isWriteOnly(call: Envelope, sinks: readonly SinkClass[]): boolean {
  const { change } = readDefinition(definitionOf(call));
  return sinks.length === 0 && (change === 'keeps' || (change === 'invites' && !namesPeople(call)));
}

/** A write outside the roots, or to a file there that programs run or keep keys in. */
function writesOutside({ upstream, body: given }: Envelope, { rootsOf, home }: Places): boolean {
  return walkLeaves(given).leaves.some(({ key, text, isName, isNumber }) => {
    if (isName || isNumber || text.length > 4_096 || roleOf(key, text) !== 'path') return false;
    return !isInsideRoots(text.trim(), rootsOf(upstream), home);
  });
}
