import { describe, expect, test } from 'vitest';
import { type ByteSource, WINDOW } from '../../core/byte-source.ts';
import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';
import { Answer } from '../../core/message.ts';
import { UNHURRIED } from '../../core/pace.ts';
import { type Budget, fitResult, fits, type Whole } from './fit-result.ts';
import { ARTIFACTS_META } from './write-fitted.ts';

const BUDGET: Budget = { characters: 4_000, tokens: undefined, binaryBytes: 10_000 };

async function readAll(source: ByteSource): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let at = 0; at < source.size; at += WINDOW)
    parts.push(Buffer.from(await source.read(at, Math.min(at + WINDOW, source.size))));
  return Buffer.concat(parts);
}

interface Fit {
  readonly result: JsonObject | undefined;
  /** What went to the store, by its address. */
  readonly kept: ReadonlyMap<string, Whole & { readonly bytes: Buffer }>;
}

async function fit(
  result: JsonObject,
  { budget = BUDGET, allows = () => true }: { budget?: Budget; allows?: (structured: Json) => boolean } = {},
): Promise<Fit> {
  const kept = new Map<string, Whole & { bytes: Buffer }>();
  const fitted = await fitResult(Answer.result('1', result), budget, {
    pause: UNHURRIED,
    allows,
    async keep(whole) {
      const uri = `sallyport://artifact/${kept.size}`;
      kept.set(uri, { ...whole, bytes: await readAll(whole.source) });
      return { uri, expiresAt: 0 };
    },
  });
  return { result: fitted?.answer.result, kept };
}

function textsOf(result: JsonObject | undefined): string[] {
  const content = member(result, 'content');
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => (member(block, 'type') === 'text' ? [String(member(block, 'text'))] : []));
}

const LINES = Array.from({ length: 900 }, (_, i) => `line ${i}: "quoted" \\ and plain, 中文 ${'x'.repeat(i % 7)}`).join(
  '\n',
);
const ROWS = Array.from({ length: 600 }, (_, i) => ({ id: i, name: `row ${i}`, tags: ['a', 'b'] }));
const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

describe('what fits stays as it is', () => {
  test.each<[string, JsonObject, Budget]>([
    ['a short text', text('short'), BUDGET],
    ['a text of exactly the budget, in which much is escaped', text('"\n'.repeat(2_000)), BUDGET],
    ['as many characters of three bytes', text('中'.repeat(4_000)), BUDGET],
    [
      'the same as text and as structured content',
      { ...text(JSON.stringify({ a: 'x'.repeat(3_900) })), structuredContent: { a: 'x'.repeat(3_900) } },
      BUDGET,
    ],
    [
      'a picture',
      { content: [{ type: 'image', mimeType: 'image/png', data: Buffer.alloc(9_000).toString('base64') }] },
      BUDGET,
    ],
    [
      'what asks for input',
      { resultType: 'input_required', inputRequests: { a: { method: 'x', params: { m: 'y'.repeat(9_000) } } } },
      BUDGET,
    ],
    ['a task', { task: { taskId: 'x'.repeat(9_000) } }, BUDGET],
  ])('%s', async (_name, result, budget) => {
    expect(await fit(result, { budget })).toEqual({ result: undefined, kept: new Map() });
  });

  test('without a look into it, where it is small', () => {
    expect(fits(Answer.result('1', text('x'.repeat(3_000))), BUDGET)).toBe(true);
    expect(fits(Answer.result('1', text('x'.repeat(5_000))), BUDGET)).toBe(false);
  });
});

describe('a text', () => {
  test('keeps its first and last lines, says what is left out, and is whole in the store', async () => {
    const { result, kept } = await fit(text(LINES));
    const [cut = '', said = ''] = textsOf(result);
    expect(cut.length).toBeLessThan(4_000);
    expect(cut.startsWith('line 0: ')).toBe(true);
    expect(cut.endsWith(LINES.slice(-60))).toBe(true);
    const [head = '', tail = ''] = cut.split(/\n\n\[… \d+ characters \(\d+ lines\) left out here …\]\n\n/);
    expect(LINES.startsWith(`${head}\n`)).toBe(true);
    expect(LINES.endsWith(`\n${tail}`)).toBe(true);
    expect(said).toContain('The tool ran');
    expect(said).toContain('sallyport://artifact/0');
    expect(kept.get('sallyport://artifact/0')?.bytes.toString('utf8')).toBe(LINES);
  });

  test('of 900 KB is whole in the store, whatever is escaped in it', async () => {
    const long = Array.from({ length: 90_000 }, (_, i) => `${i} "😀" \\u0041\n`).join('');
    const { kept } = await fit(text(long));
    expect(kept.get('sallyport://artifact/0')?.bytes.equals(Buffer.from(long))).toBe(true);
  });

  test('keeps the names of the columns above the last rows of a Markdown table', async () => {
    const rows = Array.from({ length: 400 }, (_, i) => `| ${i} | ${'v'.repeat(20)} |`).join('\n');
    const { result } = await fit(text(`${'words '.repeat(800)}\n\n| id | value |\n|---|---|\n${rows}`));
    const [cut = ''] = textsOf(result);
    expect(cut).toContain('…]\n\n| id | value |\n|---|---|\n| 3');
    expect(cut.endsWith('| 399 | vvvvvvvvvvvvvvvvvvvv |')).toBe(true);
  });

  test('is cut by tokens where these are the limit', async () => {
    const { result } = await fit(text('中'.repeat(3_900)), { budget: { ...BUDGET, tokens: 1_000 } });
    expect(textsOf(result)[0]?.length).toBeLessThan(1_400);
  });

  test('that is JSON stays JSON, with its first and last items', async () => {
    const { result, kept } = await fit(text(JSON.stringify({ rows: ROWS, total: 600 }, null, 2)));
    const [cut = '', said = ''] = textsOf(result);
    const value = JSON.parse(cut) as { rows: { id: number }[]; total: number };
    expect(value.total).toBe(600);
    expect(value.rows[0]).toEqual(ROWS[0]);
    expect(value.rows.at(-1)).toEqual(ROWS.at(-1));
    expect(said).toMatch(/\$\.rows has 600 items, here are the first \d+ and the last \d+/);
    expect(kept.get('sallyport://artifact/0')).toMatchObject({ form: 'json', mimeType: 'application/json' });
  });

  test.each([
    ['a log that begins with a bracket', `[INFO] started\n${LINES}`],
    ['JSON lines', ROWS.map((row) => JSON.stringify(row)).join('\n')],
    ['JSON that ends in the middle', JSON.stringify(ROWS).slice(0, -3)],
  ])('that is no JSON document is cut as text: %s', async (_name, given) => {
    const { kept } = await fit(text(given));
    expect(kept.get('sallyport://artifact/0')?.form).toBe('text');
  });

  test('beside many others: the first and last blocks stay, and the content is one artifact', async () => {
    const content = Array.from({ length: 80 }, (_, i) => ({ type: 'text', text: `${i} ${'word '.repeat(60)}` }));
    const { result, kept } = await fit({ content });
    const texts = textsOf(result);
    expect(texts.join('').length).toBeLessThan(6_000);
    expect(texts[0]?.startsWith('0 word')).toBe(true);
    expect(texts.at(-2)?.startsWith('79 word')).toBe(true);
    expect([...kept.values()].map(({ bytes }) => JSON.parse(bytes.toString('utf8')))).toEqual([content]);
  });
});

describe('structured content', () => {
  const rows = { rows: ROWS, note: 'n'.repeat(3_000) };

  test('and the text that repeats it stay the same, with one artifact', async () => {
    const { result, kept } = await fit({ ...text(JSON.stringify(rows, null, 2)), structuredContent: rows });
    const { 'dev.sallyport/artifact': note, ...structured } = member(result, 'structuredContent') as JsonObject;
    expect(JSON.parse(textsOf(result)[0] ?? '')).toEqual(structured);
    expect(note).toMatchObject({ uri: 'sallyport://artifact/0' });
    expect([...kept.values()].map(({ bytes }) => JSON.parse(bytes.toString('utf8')))).toEqual([rows]);
    expect(member(member(result, '_meta'), ARTIFACTS_META)).toMatchObject([
      { where: 'structuredContent', uri: 'sallyport://artifact/0' },
    ]);
  });

  test('fits where only the text that repeats it does not', async () => {
    const small = { rows: ROWS.slice(0, 80) };
    const { result, kept } = await fit({ ...text(JSON.stringify(small, null, 4)), structuredContent: small });
    expect(JSON.parse(textsOf(result)[0] ?? '')).toEqual(small);
    expect(member(result, 'structuredContent')).toEqual(small);
    expect(kept.size).toBe(0);
  });

  test.each<[string, (value: JsonObject) => boolean, (structured: JsonObject) => void]>([
    [
      'closed to other members: without a note',
      (value) => Object.keys(value).every((key) => key === 'rows' || key === 'note'),
      (structured) => expect(Object.keys(structured)).toEqual(['rows', 'note']),
    ],
    [
      'with a text of fixed length: only items are left out',
      ({ note }) => typeof note === 'string' && note.length === 3_000,
      ({ note, rows: left }) => {
        expect(note).toBe(rows.note);
        expect((left as Json[]).length).toBeLessThan(100);
      },
    ],
    [
      'that allows no shorter one: whole',
      ({ rows: all }) => Array.isArray(all) && all.length === 600,
      (structured) => expect(structured).toEqual(rows),
    ],
  ])('keeps the promise of a schema %s', async (_name, allows, check) => {
    const given = { ...text(LINES), structuredContent: rows };
    const { result } = await fit(given, { allows: (value) => isObject(value) && allows(value) });
    const structured = member(result, 'structuredContent');
    expect(isObject(structured) && allows(structured)).toBe(true);
    check(structured as JsonObject);
    expect(textsOf(result).at(-1)).toContain('structuredContent');
  });
});

describe('data', () => {
  test('larger than the client takes is a link, and is in the store as bytes', async () => {
    const data = Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * 7) & 255));
    const { result, kept } = await fit({
      content: [
        { type: 'image', mimeType: 'image/png', data: data.toString('base64') },
        {
          type: 'resource',
          resource: { uri: 'a:b', mimeType: 'application/pdf', blob: data.subarray(1).toString('base64') },
        },
      ],
    });
    expect(member(result, 'content')).toMatchObject([
      { type: 'resource_link', uri: 'sallyport://artifact/0', mimeType: 'image/png', size: 20_000 },
      { type: 'resource_link', uri: 'sallyport://artifact/1', mimeType: 'application/pdf', size: 19_999 },
      { type: 'text' },
    ]);
    expect(kept.get('sallyport://artifact/0')?.bytes.equals(data)).toBe(true);
    expect(kept.get('sallyport://artifact/1')?.bytes.equals(data.subarray(1))).toBe(true);
  });
});

test('other members stay byte for byte', async () => {
  const result = { isError: true, ...text(LINES), _meta: { a: 1 }, own: { big: 2 ** 60 } };
  const { result: fitted } = await fit(result);
  expect(fitted).toMatchObject({ isError: true, _meta: { a: 1 }, own: result.own });
});
