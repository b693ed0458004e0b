import { randomUUID } from 'node:crypto';
import type { View } from '../catalog/contract.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { arrayElements, type Edit, objectMembers, splice } from '../core/json-scan.ts';
import type { Answer } from '../core/message.ts';

/** Pages made for legacy clients, by the page they were made from; a view lives as long as its lists stay the same. */
const pages = new WeakMap<View, Map<string, string>>();

/**
 * A page of tools as legacy revisions allow it: an `outputSchema` that describes no object is left out. One such tool
 * would make a legacy client's parser refuse the whole list (2025-11-25 schema, Tool.outputSchema.type).
 */
export function toLegacyTools(view: View, items: string): string {
  let known = pages.get(view);
  if (known === undefined) {
    known = new Map();
    pages.set(view, known);
  }
  let page = known.get(items);
  if (page === undefined) {
    page = withoutForeignSchemas(items);
    known.set(items, page);
  }
  return page;
}

function withoutForeignSchemas(items: string): string {
  const bytes = Buffer.from(items, 'utf8');
  const edits: Edit[] = [];
  for (const tool of arrayElements(bytes, 0)) {
    const members = objectMembers(bytes, tool.start);
    const at = members.findIndex((one) => one.key === 'outputSchema');
    const schema = members[at];
    if (schema === undefined) continue;
    const type = objectMembers(bytes, schema.start).find((one) => one.key === 'type');
    if (type !== undefined && bytes.toString('latin1', type.start, type.end) === '"object"') continue;
    edits.push(toRemoval(bytes, { members, at, objectStart: tool.start }));
  }
  return edits.length === 0 ? items : Buffer.from(splice(bytes.toString('latin1'), edits), 'latin1').toString('utf8');
}

/** The edit that takes a member out together with the comma that parts it from its neighbour. */
function toRemoval(
  bytes: Buffer,
  {
    members,
    at,
    objectStart,
  }: {
    readonly members: readonly { readonly start: number; readonly end: number }[];
    readonly at: number;
    readonly objectStart: number;
  },
): Edit {
  const before = members[at - 1];
  const after = members[at + 1];
  const end = members[at]?.end ?? 0;
  if (before !== undefined) return { start: before.end, end, text: '' };
  if (after === undefined) return { start: objectStart + 1, end, text: '' };
  return { start: objectStart + 1, end: bytes.indexOf(0x2c, end) + 1, text: '' };
}

/**
 * Structured content of a modern result that is no object has no place in legacy ones; the text beside it says the same
 * (2026-07-28 tools#structured-content). What a server says in the legacy era itself stays as it is.
 */
export function toLegacyResult(answer: Answer): Answer {
  if (
    !answer.hasMember('structuredContent') ||
    !answer.hasMember('resultType') ||
    isObject(answer.resultMember('structuredContent'))
  )
    return answer;
  const { structuredContent, ...rest } = answer.result ?? {};
  return answer.withResult(rest);
}

/** 2025-11-25 elicitation#url-mode wants an id, 2026-07-28 has none; without one a legacy client refuses the question. */
export function withElicitationId(params: JsonObject): JsonObject {
  if (params['mode'] !== 'url' || Object.hasOwn(params, 'elicitationId')) return params;
  return { ...params, elicitationId: randomUUID() };
}
