import type { View } from '../catalog/catalog.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import { arrayElements, type Edit, type Member, objectMembers, type Span, toBinary } from '../core/json-scan.ts';
import type { Answer } from '../core/message.ts';

/**
 * On the shared endpoint a client knows resources and tasks by qualified names. An answer that mentions one by its
 * upstream's own name is corrected in place, so that what the client reads in it can be used in its next request.
 */
export function toPublicNames(answer: Answer, view: View, upstream: string): Answer {
  const result = answer.result;
  if (result === undefined) return answer;
  const edits: Edit[] = [];
  const body = objectMembers(answer.bytes, answer.bodySpan.start);
  const rename = (span: Span | undefined, uri: unknown) => {
    if (span === undefined || typeof uri !== 'string') return;
    const name = view.publicUri(upstream, uri);
    if (name !== uri) edits.push({ start: span.start, end: span.end, text: toBinary(JSON.stringify(name)) });
  };
  renameContents(answer, result, { body, rename });
  renameTask(answer, result, { body, edits, publicId: (id) => view.publicTaskId(upstream, id) });
  return answer.edit(edits);
}

type Rename = (span: Span | undefined, uri: unknown) => void;

function renameContents(answer: Answer, result: JsonObject, found: { body: readonly Member[]; rename: Rename }): void {
  const { bytes } = answer;
  // tools/call: content[].uri of links, content[].resource.uri of embedded resources; resources/read: contents[].uri.
  for (const key of ['content', 'contents'] as const) {
    const items = member(result, key);
    const span = find(found.body, key);
    if (!Array.isArray(items) || span === undefined) continue;
    const spans = arrayElements(bytes, span.start);
    items.forEach((item: unknown, index: number) => {
      const at = spans[index];
      if (!isObject(item) || at === undefined) return;
      if (key === 'contents' || item['type'] === 'resource_link') {
        if (member(item, 'uri') !== undefined)
          found.rename(find(objectMembers(bytes, at.start), 'uri'), member(item, 'uri'));
      } else if (item['type'] === 'resource') {
        const inner = find(objectMembers(bytes, at.start), 'resource');
        if (inner !== undefined)
          found.rename(find(objectMembers(bytes, inner.start), 'uri'), member(member(item, 'resource'), 'uri'));
      }
    });
  }
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
export function mentionsNames(answer: Answer): boolean {
  const { bytes, result } = answer;
  if (result === undefined) return false;
  return (
    Object.hasOwn(result, 'contents') ||
    Object.hasOwn(result, 'task') ||
    Object.hasOwn(result, 'taskId') ||
    bytes.includes('"resource')
  );
}
