import type { View } from '../catalog/contract.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import { arrayElements, type Edit, type Member, objectMembers, type Span, toBinary } from '../core/json-scan.ts';
import type { Answer } from '../core/message.ts';
import type { Inbound } from './inbound.ts';

/**
 * On the shared endpoint a client knows resources and tasks by qualified names. An answer that mentions one by its
 * upstream's own name is corrected in place, so that what the client reads in it can be used in its next request.
 */
export function toPublicAnswer({ endpoint, view }: Inbound, upstream: string, answer: Answer): Answer {
  if (endpoint.kind === 'server' || (answer.isResult && !mentionsNames(answer))) return answer;
  return toPublicNames(answer, view, upstream);
}

function toPublicNames(answer: Answer, view: View, upstream: string): Answer {
  const edits: Edit[] = [];
  const body = objectMembers(answer.bytes, answer.bodySpan.start);
  const rename = (span: Span | undefined, uri: unknown) => {
    if (span === undefined || typeof uri !== 'string') return;
    const name = view.publicUri(upstream, uri);
    if (name !== uri) edits.push({ start: span.start, end: span.end, text: toBinary(JSON.stringify(name)) });
  };
  if (answer.outcome.kind === 'error') {
    // "Resource not found" names it in its data (MCP resources#error-handling).
    const data = find(body, 'data');
    if (data !== undefined)
      rename(find(objectMembers(answer.bytes, data.start), 'uri'), member(answer.outcome.error.data, 'uri'));
    return answer.edit(edits);
  }
  const { result } = answer.outcome;
  renameContents(answer.bytes, result, { body, rename });
  renameTask(answer, result, { body, edits, publicId: (id) => view.publicTaskId(upstream, id) });
  return answer.edit(edits);
}

type Rename = (span: Span | undefined, uri: unknown) => void;

interface Found {
  readonly body: readonly Member[];
  readonly rename: Rename;
}

function renameContents(bytes: Buffer, result: JsonObject, { body, rename }: Found): void {
  // resources/read: contents[].uri; tools/call: content[]; prompts/get: messages[].content, one block each.
  eachItem(bytes, { members: body, object: result, key: 'contents' }, (item, at) => {
    rename(find(objectMembers(bytes, at.start), 'uri'), member(item, 'uri'));
  });
  eachItem(bytes, { members: body, object: result, key: 'content' }, (block, at) => {
    renameBlock(bytes, block, { at, rename });
  });
  eachItem(bytes, { members: body, object: result, key: 'messages' }, (message, at) => {
    const span = find(objectMembers(bytes, at.start), 'content');
    const block = member(message, 'content');
    if (span !== undefined && isObject(block)) renameBlock(bytes, block, { at: span, rename });
  });
  // tasks/get: the whole result of the call.
  const inner = find(body, 'result');
  const finished = member(result, 'result');
  if (inner !== undefined && isObject(finished))
    renameContents(bytes, finished, { body: objectMembers(bytes, inner.start), rename });
}

/** A link names its resource itself, an embedded resource inside. */
function renameBlock(bytes: Buffer, block: JsonObject, { at, rename }: { at: Span; rename: Rename }): void {
  const members = objectMembers(bytes, at.start);
  if (block['type'] === 'resource_link') rename(find(members, 'uri'), member(block, 'uri'));
  if (block['type'] !== 'resource') return;
  const inner = find(members, 'resource');
  if (inner !== undefined)
    rename(find(objectMembers(bytes, inner.start), 'uri'), member(member(block, 'resource'), 'uri'));
}

function eachItem(
  bytes: Buffer,
  { members, object, key }: { members: readonly Member[]; object: JsonObject; key: string },
  visit: (item: JsonObject, at: Span) => void,
): void {
  const items = member(object, key);
  const span = find(members, key);
  if (!Array.isArray(items) || span === undefined) return;
  const spans = arrayElements(bytes, span.start);
  items.forEach((item: unknown, index: number) => {
    const at = spans[index];
    if (isObject(item) && at !== undefined) visit(item, at);
  });
}

function renameTask(
  answer: Answer,
  result: JsonObject,
  found: { body: readonly Member[]; edits: Edit[]; publicId(id: string): string },
): void {
  const { bytes } = answer;
  const put = (span: Span | undefined, id: unknown) => {
    if (span === undefined || typeof id !== 'string') return;
    found.edits.push({ start: span.start, end: span.end, text: toBinary(JSON.stringify(found.publicId(id))) });
  };
  put(find(found.body, 'taskId'), member(result, 'taskId'));
  const task = find(found.body, 'task');
  if (task !== undefined)
    put(find(objectMembers(bytes, task.start), 'taskId'), member(member(result, 'task'), 'taskId'));
}

function find(members: readonly Member[], key: string): Member | undefined {
  return members.find((candidate) => candidate.key === key);
}

/** A cheap first look: most answers mention neither resources nor tasks and are forwarded untouched. */
function mentionsNames(answer: Answer): boolean {
  if (!answer.isResult) return false;
  if (answer.hasMember('contents') || answer.hasMember('task') || answer.hasMember('taskId')) return true;
  // A large answer is mostly one long text: stepping over it is ten times faster than searching it.
  if (answer.bytes.length >= LARGE) return holdsResource(answer, 'content') || holdsResource(answer, 'messages');
  return answer.source.includes(RESOURCE);
}

/** Bytes. */
const LARGE = 4_096;
/** How the types `resource` and `resource_link` begin. */
const RESOURCE = '"resource';

function holdsResource(answer: Answer, key: string): boolean {
  const span = answer.memberSpan(key);
  return span !== undefined && arrayElements(answer.bytes, span.start).some((one) => isResource(answer.bytes, one));
}

/** A content block, or a prompt's message around one. */
function isResource(bytes: Buffer, { start }: Span): boolean {
  return objectMembers(bytes, start).some((one) =>
    one.key === 'type'
      ? bytes.toString('latin1', one.start, Math.min(one.end, one.start + RESOURCE.length)) === RESOURCE
      : one.key === 'content' && isResource(bytes, one),
  );
}
