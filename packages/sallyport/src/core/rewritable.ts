import { isObject, type JsonObject } from './json.ts';
import { type Edit, type Member, objectMembers, type Span, toBinary } from './json-scan.ts';
import type { Source } from './source.ts';

/** Where the params stand, and their members. */
export interface ParamsSpan extends Span {
  readonly members: readonly Member[];
}

/** A message with a method: its bytes, and the edits that change single members of its params. */
export abstract class Rewritable {
  readonly source: Source;
  readonly method: string;
  readonly params: JsonObject;
  readonly paramsSpan: ParamsSpan | undefined;

  constructor(source: Source, method: string, params: JsonObject, paramsSpan: ParamsSpan | undefined) {
    this.source = source;
    this.method = method;
    this.params = params;
    this.paramsSpan = paramsSpan;
  }

  get bytes(): Buffer {
    return this.source.bytes;
  }

  /** Where the value of `params.<key>` stands. */
  param(key: string): Member | undefined {
    return this.paramsSpan?.members.find((candidate) => candidate.key === key);
  }

  /** `params.<outer>.<key>` as it was written: a number a double cannot hold stays what it is. */
  textInParam(outer: string, key: string): string | undefined {
    const holder = this.param(outer);
    const found = holder && objectMembers(this.bytes, holder.start).find((candidate) => candidate.key === key);
    return found && this.bytes.toString('utf8', found.start, found.end);
  }

  /** The edit that gives `params.<key>` a new value, written as JSON; inserts the member, or `params`, when missing. */
  setParam(key: string, json: string): Edit {
    const text = toBinary(json);
    const present = this.param(key);
    if (present !== undefined) return { start: present.start, end: present.end, text };
    const name = toBinary(JSON.stringify(key));
    if (this.paramsSpan === undefined) {
      const end = this.bytes.lastIndexOf('}');
      return { start: end, end, text: `,"params":{${name}:${text}}` };
    }
    const at = this.paramsSpan.start + 1;
    return { start: at, end: at, text: `${name}:${text}${isEmpty(this.params) ? '' : ','}` };
  }

  /** The edit that gives `params.<outer>.<key>` a new value, inserting what is missing. */
  setInParam(outer: string, key: string, json: string): Edit {
    const holder = this.param(outer);
    const parsed = this.params[outer];
    if (holder === undefined || !isObject(parsed)) return this.setParam(outer, `{${JSON.stringify(key)}:${json}}`);
    // As with params: what is not there need not be looked for.
    if (Object.hasOwn(parsed, key)) {
      const present = objectMembers(this.bytes, holder.start).find((candidate) => candidate.key === key);
      if (present !== undefined) return { start: present.start, end: present.end, text: toBinary(json) };
    }
    const at = holder.start + 1;
    return { start: at, end: at, text: `${toBinary(`${JSON.stringify(key)}:${json}`)}${isEmpty(parsed) ? '' : ','}` };
  }
}

function isEmpty(object: JsonObject): boolean {
  for (const key in object) if (Object.hasOwn(object, key)) return false;
  return true;
}
