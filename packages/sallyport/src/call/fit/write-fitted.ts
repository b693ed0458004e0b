import type { JsonObject } from '../../core/json.ts';
import { OPEN_BRACE, objectMembers, type Span } from '../../core/json-scan.ts';
import type { Answer } from '../../core/message.ts';
import { explain, type LeftOut, toMeta } from './say-cut.ts';

/** What was left out of a result, for programs. */
export const ARTIFACTS_META = 'dev.sallyport/artifacts';

interface Parts {
  /** All blocks of the content. */
  readonly blocks: readonly { readonly index: number; readonly span: Span }[];
  /** Blocks that are others now, as JSON text; empty: left out. */
  readonly changed: ReadonlyMap<number, string>;
  /** `undefined`: as it was. */
  readonly structured: string | undefined;
  readonly leftOut: readonly LeftOut[];
  readonly links: readonly JsonObject[];
}

/**
 * The result with its new parts; everything else byte for byte. What explains them stands at the end of the content: a program
 * takes the first block for the result.
 */
export function writeFitted(answer: Answer, { blocks, changed, structured, leftOut, links }: Parts): Answer {
  const { bytes, bodySpan } = answer;
  const said = leftOut.length === 0 ? [] : [{ type: 'text', text: explain(leftOut) }, ...links];
  const edits: { readonly span: Span; readonly pieces: readonly Buffer[] }[] = [];
  const put = (span: Span, ...pieces: readonly (string | Buffer)[]) =>
    edits.push({ span, pieces: pieces.map((one) => (typeof one === 'string' ? Buffer.from(one, 'utf8') : one)) });
  const items: (string | Buffer)[] = blocks.map(
    ({ index, span }) => changed.get(index) ?? bytes.subarray(span.start, span.end),
  );
  const content = join([...items, ...said.map((one) => JSON.stringify(one))].filter(({ length }) => length > 0));
  const start = { start: bodySpan.start + 1, end: bodySpan.start + 1 };
  const known = answer.memberSpan('content');
  if (known !== undefined) put(known, '[', ...content, ']');
  else put(start, '"content":[', ...content, '],');
  const own = answer.memberSpan('structuredContent');
  if (own !== undefined && structured !== undefined) put(own, structured);
  if (leftOut.length > 0) {
    const note = `${JSON.stringify(ARTIFACTS_META)}:${JSON.stringify(leftOut.map(toMeta))}`;
    const meta = answer.memberSpan('_meta');
    if (meta !== undefined && bytes[meta.start] === OPEN_BRACE)
      put(
        { start: meta.start + 1, end: meta.start + 1 },
        note,
        objectMembers(bytes, meta.start).length === 0 ? '' : ',',
      );
    else put(start, `"_meta":{${note}},`);
  }
  const pieces: Buffer[] = [];
  let at = bodySpan.start;
  for (const edit of edits.sort((a, b) => a.span.start - b.span.start)) {
    pieces.push(bytes.subarray(at, edit.span.start), ...edit.pieces);
    at = edit.span.end;
  }
  pieces.push(bytes.subarray(at, bodySpan.end));
  return answer.withRawResult(Buffer.concat(pieces));
}

function join(items: readonly (string | Buffer)[]): (string | Buffer)[] {
  return items.flatMap((item, index) => (index === 0 ? [item] : [',', item]));
}

export interface LinkFacts {
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
  readonly where: string;
}

/** A link to an artifact (MCP tools#resource-links). */
export function toLink({ uri }: { readonly uri: string }, { mimeType, size, where }: LinkFacts): JsonObject {
  const description = `The whole of ${where}, ${size} bytes.`;
  return { type: 'resource_link', uri, name: uri.slice(uri.lastIndexOf('/') + 1), description, mimeType, size };
}
