import { afterEach, describe, expect, test } from 'vitest';
import {
  cursorInput,
  cursorOutput,
  cursorPage,
  defineServer,
  defineTool,
  fail,
  field,
  formatInput,
  type KitServer,
  page,
  pageInput,
  pageOutput,
  z,
} from './kit.ts';
import type { CallNote } from './run-tool.ts';
import { connectTestClient, type Era, type TestClient, textOf } from './testing/testing.ts';

const QUIET = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const opened: TestClient[] = [];
afterEach(async () => {
  for (const client of opened.splice(0)) await client.close();
});

const greet = defineTool({
  name: 'hello_say_greeting',
  title: 'Say hello',
  description: 'Greets a person by name and returns the greeting.',
  input: {
    name: field('Whom to greet, for example "Ada"', z.string().min(1)),
    times: field('How often', z.number().default(1)),
  },
  output: { greeting: field('The greeting', z.string()) },
  hints: QUIET,
  run: ({ name, times }) => ({ greeting: Array(times).fill(`Hello, ${name}!`).join(' ') }),
});

const remove = defineTool({
  name: 'notes_delete_item',
  title: 'Delete a note',
  description: 'Deletes a note after the person has confirmed it.',
  input: { id: field('Id of the note', z.string()) },
  output: {
    deleted: field('Whether it was deleted', z.boolean()),
    looked: field('How often it was looked up', z.number()),
  },
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  async run({ id }, context) {
    if (id === 'none') fail(`There is no note "${id}".`, 'Call notes_list_items to see the ids.');
    if (id === 'bug') throw new Error('password=hunter2');
    const looked = await context.once(() => ++lookups);
    const answer = await context.ask(`Delete the note "${id}"?`, { sure: field('Really', z.boolean()) });
    return { deleted: answer.action === 'accept' && answer.content.sure, looked };
  },
});
let lookups = 0;

const list = defineTool({
  name: 'notes_list_items',
  title: 'List notes',
  description: 'Lists the notes, page by page, oldest first.',
  input: { ...pageInput, ...formatInput },
  output: pageOutput(
    'The notes',
    field('A note', z.object({ id: z.string().describe('Its id'), text: z.string().describe('Its text') })),
  ),
  hints: QUIET,
  run: (input) =>
    page(input, ({ limit, offset }) => {
      asked.push(limit);
      return Array.from({ length: Math.min(limit, 250 - offset) }, (_, i) => ({
        id: `n${offset + i}`,
        text: 'x'.repeat(1_000),
      }));
    }),
});
const asked: number[] = [];
const notes: CallNote[] = [];

function server(more: object = {}): KitServer {
  return defineServer({
    name: 'notes-mcp-server',
    version: '1.0.0',
    tools: [greet, remove, list],
    note: (note) => notes.push(note),
    ...more,
  });
}

async function connect(era: Era, sure?: boolean): Promise<TestClient> {
  const client = await connectTestClient(server(), {
    era,
    ...(sure === undefined ? {} : { answer: () => ({ action: 'accept', content: { sure } as never }) }),
  });
  opened.push(client);
  return client;
}

describe.each(['legacy', 'modern'] as const)('a server of the kit, %s', (era) => {
  test('lists what was declared, with every hint and description', async () => {
    const { client } = await connect(era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['hello_say_greeting', 'notes_delete_item', 'notes_list_items']);
    expect(tools[0]).toMatchObject({
      title: 'Say hello',
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'Whom to greet, for example "Ada"' },
          times: { default: 1 },
        },
        required: ['name'],
        additionalProperties: false,
      },
      outputSchema: { required: ['greeting'] },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    });
  });

  test('validates, fills in defaults and answers structured and as text', async () => {
    const client = await connect(era);
    const result = await client.raw('hello_say_greeting', { name: 'Ada' });
    expect(result).toMatchObject({ structuredContent: { greeting: 'Hello, Ada!' } });
    expect(textOf(result)).toBe('{"greeting":"Hello, Ada!"}');
    expect(await client.callFailing('hello_say_greeting', { nmae: 'Ada' })).toMatch(
      /nmae.*Unknown member.*name, times/s,
    );
  });

  test('asks the person, and does what was done before the question only once', async () => {
    const before = lookups;
    const client = await connect(era, true);
    expect(await client.call('notes_delete_item', { id: '7' })).toEqual({ deleted: true, looked: before + 1 });
    expect(lookups).toBe(before + 1);
    const other = await connect(era, false);
    expect(await other.call('notes_delete_item', { id: '7' })).toMatchObject({ deleted: false });
  });

  test('an error teaches the next step, and an unexpected one gives nothing away', async () => {
    const client = await connect(era);
    expect(await client.callFailing('notes_delete_item', { id: 'none' })).toBe(
      'There is no note "none". Call notes_list_items to see the ids.',
    );
    const text = await client.callFailing('notes_delete_item', { id: 'bug' });
    expect(text).not.toContain('hunter2');
    const reference = /reference (\w+)/.exec(text)?.[1];
    expect(notes.find((note) => note.reference === reference)?.cause).toMatchObject({ message: 'password=hunter2' });
  });

  test('a page asks its source for one item more than it shows, and says how to go on', async () => {
    asked.length = 0;
    const client = await connect(era);
    const first = await client.call('notes_list_items', { limit: 5 });
    expect(first).toMatchObject({ offset: 0, has_more: true, next_offset: 5 });
    expect(asked).toEqual([6]);
    expect(await client.call('notes_list_items', { limit: 5, offset: 248 })).toMatchObject({ has_more: false });
    expect(await client.callFailing('notes_list_items', { limit: 101 })).toMatch(/limit/);
  });

  test('a page that is too large is cut between two items, and its rest can be had', async () => {
    const client = await connect(era);
    const seen: string[] = [];
    for (let offset: unknown = 0; offset !== undefined; ) {
      const result = await client.raw('notes_list_items', { limit: 100, offset });
      const { items, next_offset } = result.structuredContent as { items: { id: string }[]; next_offset?: number };
      expect(JSON.stringify(result.structuredContent).length).toBeLessThanOrEqual(25_000);
      if (offset === 0)
        expect(textOf(result)).toMatch(/Only 24 of 100 items of "items" fit\. Call again with offset 24/);
      seen.push(...items.map(({ id }) => id));
      offset = next_offset;
    }
    expect(seen).toEqual(Array.from({ length: 250 }, (_, i) => `n${i}`));
  });

  test('Markdown for people', async () => {
    const client = await connect(era);
    const text = textOf(await client.raw('notes_list_items', { limit: 1, response_format: 'markdown' }));
    expect(text).toMatch(/\*\*Items\*\*\n\n\| Id \| Text \|\n\| --- \| --- \|\n\| n0 \| x+ \|/);
  });
});

describe('pages by cursor', () => {
  const item = z.object({ id: z.number().describe('Its id'), name: z.string().describe('Its name') });
  const people = defineTool({
    name: 'people_list_all',
    title: 'List people',
    description: 'Lists people, page by page.',
    input: { ...cursorInput, ...formatInput },
    output: cursorOutput('The people', field('One', item)),
    hints: QUIET,
    run: (input) =>
      cursorPage(input, ({ limit, cursor = 'p0' }) => {
        const at = Number(cursor.slice(1));
        const items = Array.from({ length: limit }, (_, i) => ({ id: at + i, name: `Ada${'x'.repeat(limit * 10)}` }));
        return { items, next: at + limit < 120 ? `p${at + limit}` : undefined };
      }),
  });

  test('lead through all, say so where one is too large, and name people for people', async () => {
    const client = await connectTestClient(server({ tools: [people] }));
    opened.push(client);
    const seen: number[] = [];
    for (let cursor: unknown; ; ) {
      const found = await client.call('people_list_all', { limit: 40, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...(found['items'] as { id: number }[]).map(({ id }) => id));
      cursor = found['next_cursor'];
      expect(found['has_more']).toBe(cursor !== undefined);
      if (cursor === undefined) break;
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, i) => i));
    const large = await client.raw('people_list_all', { limit: 100 });
    expect(large.structuredContent).toMatchObject({ has_more: true });
    expect(large.structuredContent).not.toHaveProperty('next_cursor');
    expect(textOf(large)).toMatch(
      /Only 24 of 100 items of "items" fit\. Call again with the same cursor and limit 24\./,
    );
    const text = textOf(await client.raw('people_list_all', { limit: 1, response_format: 'markdown' }));
    expect(text).toMatch(/\| Name \|\n\| --- \|\n\| Adax+ \(0\) \|/);
  });
});
