import { expect } from 'vitest';
import { waitFor } from '../../wait-for.ts';
import { type Cell, expectSameText, listAll, toText } from '../cell.ts';
import type { Fields } from '../cells.ts';
import type { Scenario } from './scenario.ts';

export const tools: Scenario = {
  title: 'Tools: list and call',
  proves:
    'every definition arrives byte for byte but for the name, in order; calls reach their tool; ids come back as written',
  async run(cell) {
    await listsAsDirect(cell);
    await idsComeBack(cell);
    const args = {
      message: 'Grüße, 世界 🚪 \u2028 "quoted" \\ \u0000',
      nested: { __proto__x: [1, 2.5, null, true, {}] },
    };
    const echo = await cell.tool('test_echo', args);
    expectSameText(echo.result?.['structuredContent'], args);
    expect(toText(echo)).toBe(JSON.stringify(args));
    expect(echo.result?.['resultType']).toBe(cell.modern ? 'complete' : echo.result?.['resultType']);
    expect(await cell.textOf('constructor')).toBe('a tool may be called constructor');
    expect(await cell.textOf('test_big_result', { bytes: 300_000 })).toHaveLength(300_000);
    const mirrored = { region: 'eu-west', priority: 7, urgent: true };
    const headers = { 'mcp-param-region': 'eu-west', 'mcp-param-priority': '7', 'mcp-param-urgent': 'true' };
    expect(await cell.textOf('test_header_params', mirrored, { headers })).toBe(JSON.stringify(mirrored));
  },
};

async function listsAsDirect(cell: Cell): Promise<void> {
  const wanted = await listAll(cell.direct, 'tools/list', 'tools');
  // A first list waits a little for a server that starts; the rest follows.
  const found = await waitFor(async () => {
    const listed = await cell.list('tools/list', 'tools');
    expect(listed).toHaveLength(wanted.length);
    return listed;
  });
  expectSameText(
    found.map((tool) => ({ ...tool, name: '' })),
    wanted.map((tool) => ({ ...(cell.modern ? tool : toLegacy(tool)), name: '' })),
  );
  for (const [index, tool] of wanted.entries()) {
    const name = String(tool['name']);
    const shown = String(found[index]?.['name']);
    if (cell.name(name).length <= 64) expect(shown).toBe(cell.name(name));
    else if (cell.shared) expect(shown).toMatch(/^.{40,64}$/);
    if (name.startsWith('test_name_of')) {
      const answer = await cell.client.call('tools/call', { name: shown, arguments: {} });
      expect(toText(answer)).toBe('long name');
    }
  }
}

/** Legacy parsers refuse a whole list for one output schema that describes no object (2025-11-25 schema, Tool). */
function toLegacy(tool: Fields): Fields {
  const { outputSchema, ...rest } = tool;
  return outputSchema === undefined || (outputSchema as Fields)['type'] === 'object' ? tool : rest;
}

async function idsComeBack(cell: Cell): Promise<void> {
  for (const id of ['9007199254740993', '"id \\u00e9 \\" ✓"', '0', '-7', '""']) {
    const call = cell.client.request('tools/call', { name: cell.name('test_simple_text') }, { id });
    const answer = await call.answer;
    expect(answer.id).toBe(id);
    expect(toText(answer)).toBe('This is a simple text response for testing.');
  }
}

export const content: Scenario = {
  title: 'Tools: content types',
  proves:
    'text, image, audio, resource links, embedded text and binary resources, structured content, and a type nobody knows, each block as the server wrote it; structured content that is no object goes to clients of 2026-07-28 only, as their revision has it',
  async run(cell) {
    const all = await cell.tool('test_all_content');
    const direct = await cell.direct.call('tools/call', { name: 'test_all_content', arguments: {} });
    expectSameText(all.result?.['content'], withUris(cell, direct.result?.['content']));
    const link = ((all.result?.['content'] ?? []) as Fields[]).find((block) => block['type'] === 'resource_link');
    const read = await cell.client.call('resources/read', { uri: link?.['uri'] });
    expect(read.result?.['contents']).toMatchObject([{ text: 'This is the content of the static text resource.' }]);
    for (const name of ['test_structured_content', 'test_schema_violation', 'test_unknown_content_type']) {
      const found = await cell.tool(name);
      const wanted = await cell.direct.call('tools/call', { name, arguments: {} });
      expectSameText(found.result?.['content'], wanted.result?.['content']);
      expectSameText(found.result?.['structuredContent'], wanted.result?.['structuredContent']);
    }
    if (cell.era === 'legacy') return;
    const array = await cell.tool('test_structured_array');
    expectSameText(array.result?.['content'], [{ type: 'text', text: '[1,2,3]' }]);
    expectSameText(array.result?.['structuredContent'], cell.modern ? [1, 2, 3] : undefined);
  },
};

/** Content as the shared endpoint shows it: resources under their qualified URIs. */
function withUris(cell: Cell, blocks: unknown): unknown {
  return (blocks as Fields[]).map((block) => {
    if (block['type'] === 'resource_link') return { ...block, uri: cell.uri(String(block['uri'])) };
    if (block['type'] !== 'resource') return block;
    const resource = block['resource'] as Fields;
    return { ...block, resource: { ...resource, uri: cell.uri(String(resource['uri'])) } };
  });
}

export const errors: Scenario = {
  title: 'Tools: errors',
  proves:
    'results with isError, JSON-RPC errors with code, message and data, unknown tools, refused arguments, unknown methods',
  async run(cell) {
    const failed = await cell.tool('test_tool_error');
    expect(failed.result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'this went wrong' }] });
    const thrown = { code: -32050, message: 'as ordered – ✓', data: { why: ['because', 1], deep: { a: null } } };
    const broken = await cell.tool('test_protocol_error', thrown);
    expect(broken.result).toBeUndefined();
    expectSameText(broken.error, thrown);
    const bare = await cell.tool('test_protocol_error', { code: -32603 });
    expectSameText(bare.error, { code: -32603, message: 'as ordered' });
    const unknown = await cell.tool('no_such_tool');
    expect(unknown.error).toMatchObject({ code: -32602, message: expect.stringContaining('no_such_tool') });
    const misfit = await cell.tool('greet', { name: 7 });
    expect(misfit.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('name') }] });
    const nothing = await cell.client.call('no/such/method');
    expect(nothing.error?.code).toBe(-32601);
    const cursor = await cell.client.call('tools/list', { cursor: 'from nowhere' });
    expect(cursor.error?.code).toBe(-32602);
    if (cell.modern && cell.row.front === 'http') expect(nothing.status).toBe(404);
  },
};

export const unknownFields: Scenario = {
  title: 'Fields nobody knows',
  proves:
    'members no revision defines survive in definitions, results, resources and `_meta`, in both directions; the server learns the client’s own capabilities',
  async run(cell) {
    const found = await cell.tool('test_unknown_fields');
    const direct = await cell.direct.call('tools/call', { name: 'test_unknown_fields', arguments: {} });
    for (const member of ['content', 'x-vendor-result'])
      expectSameText(found.result?.[member], direct.result?.[member]);
    expect(found.result?.['_meta']).toMatchObject({ 'com.example/tag': 'kept' });
    const definition = (await cell.list('tools/list', 'tools')).find(
      (tool) => tool['name'] === cell.name('test_unknown_fields'),
    );
    expect(definition).toMatchObject({
      'x-vendor': { rank: 7, nested: [1, { deep: true }] },
      annotations: { readOnlyHint: true, category: 'sample' },
      _meta: { 'com.example/tag': 'kept' },
    });
    const meta = { 'com.example/trace': { id: 'é', hops: [1] }, traceparent: '00-0af7-b7ad-01' };
    const told = JSON.parse(await cell.textOf('test_client', {}, { meta })) as Fields;
    expect(told['meta']).toMatchObject(meta);
    expect(told['era']).toBe(cell.era);
    expect(told['capabilities']).toEqual(cell.client.capabilities);
  },
};
