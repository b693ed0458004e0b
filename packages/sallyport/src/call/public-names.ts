import type { View } from '../catalog/contract.ts';
import {
  arrayElements,
  type Edit,
  type Member,
  OPEN_BRACE,
  OPEN_BRACKET,
  objectMembers,
  QUOTE,
  type Span,
  toBinary,
} from '../core/json-scan.ts';
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
  const rename = (span: Span | undefined) => {
    const uri = textAt(answer.bytes, span);
    if (span === undefined || uri === undefined) return;
    const name = view.publicUri(upstream, uri);
    if (name !== uri) edits.push({ start: span.start, end: span.end, text: toBinary(JSON.stringify(name)) });
  };
  if (!answer.isResult) {
    // "Resource not found" names it in its data (MCP resources#error-handling).
    const data = find(body, 'data');
    if (data !== undefined) rename(find(membersAt(answer.bytes, data), 'uri'));
    return answer.edit(edits);
  }
  renameContents(answer.bytes, { body, rename });
  renameTask(answer.bytes, { body, edits, publicId: (id) => view.publicTaskId(upstream, id) });
  return answer.edit(edits);
}

/** Nothing is parsed but short texts: the answer may be large. */
function textAt(bytes: Buffer, span: Span | undefined): string | undefined {
  if (span === undefined || bytes[span.start] !== QUOTE) return undefined;
  return JSON.parse(bytes.toString('utf8', span.start, span.end)) as string; // True: it begins with a quote.
}

/** None for what is no object. */
function membersAt(bytes: Buffer, span: Span | undefined): readonly Member[] {
  return span !== undefined && bytes[span.start] === OPEN_BRACE ? objectMembers(bytes, span.start) : [];
}

type Rename = (span: Span | undefined) => void;

interface Found {
  readonly body: readonly Member[];
  readonly rename: Rename;
}

function renameContents(bytes: Buffer, { body, rename }: Found): void {
  // resources/read: contents[].uri; tools/call: content[]; prompts/get: messages[].content, one block each.
  for (const item of itemsOf(bytes, find(body, 'contents'))) rename(find(membersAt(bytes, item), 'uri'));
  for (const block of itemsOf(bytes, find(body, 'content'))) renameBlock(bytes, block, rename);
  for (const message of itemsOf(bytes, find(body, 'messages'))) {
    const block = find(membersAt(bytes, message), 'content');
    if (block !== undefined) renameBlock(bytes, block, rename);
  }
  // tasks/get: the whole result of the call.
  const inner = find(body, 'result');
  if (inner !== undefined && bytes[inner.start] === OPEN_BRACE)
    renameContents(bytes, { body: membersAt(bytes, inner), rename });
}

/** A link names its resource itself, an embedded resource inside. */
function renameBlock(bytes: Buffer, at: Span, rename: Rename): void {
  const members = membersAt(bytes, at);
  const type = textAt(bytes, find(members, 'type'));
  if (type === 'resource_link') rename(find(members, 'uri'));
  if (type === 'resource') rename(find(membersAt(bytes, find(members, 'resource')), 'uri'));
}

function itemsOf(bytes: Buffer, span: Span | undefined): readonly Span[] {
  return span !== undefined && bytes[span.start] === OPEN_BRACKET ? arrayElements(bytes, span.start) : [];
}

function renameTask(
  bytes: Buffer,
  found: { body: readonly Member[]; edits: Edit[]; publicId(id: string): string },
): void {
  const put = (span: Span | undefined) => {
    const id = textAt(bytes, span);
    if (span === undefined || id === undefined) return;
    found.edits.push({ start: span.start, end: span.end, text: toBinary(JSON.stringify(found.publicId(id))) });
  };
  put(find(found.body, 'taskId'));
  put(find(membersAt(bytes, find(found.body, 'task')), 'taskId'));
}

function find(members: readonly Member[], key: string): Member | undefined {
  // As a parser does: of two, the last one counts.
  return members.findLast((candidate) => candidate.key === key);
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
