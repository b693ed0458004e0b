import { expect } from 'vitest';
import { type Cell, expectSameText, listAll } from '../cell.ts';
import { type Fields, isFrom } from '../cells.ts';
import type { Scenario } from './scenario.ts';

export const resources: Scenario = {
  title: 'Resources',
  proves:
    'list, templates, text and binary reads arrive as written but for the qualified URI; what does not exist is an error that names it',
  async run(cell) {
    await listsAsDirect(cell, { method: 'resources/list', member: 'resources', key: 'uri' });
    await listsAsDirect(cell, { method: 'resources/templates/list', member: 'resourceTemplates', key: 'uriTemplate' });
    for (const uri of ['test://static-text', 'test://static-binary', 'test://template/a%20b/data']) {
      const found = await cell.client.call('resources/read', { uri: cell.uri(uri) });
      const wanted = await cell.direct.call('resources/read', { uri });
      const [contents] = (wanted.result?.['contents'] ?? []) as Fields[];
      expectSameText(found.result?.['contents'], [{ ...contents, uri: cell.uri(uri) }]);
      if (cell.modern) expect(found.result).toMatchObject({ ttlMs: expect.any(Number) });
    }
    const missing = await cell.client.call('resources/read', { uri: cell.uri('test://missing') });
    // A legacy client is told the upstream's own code; 2026-07-28 has one only.
    expect(missing.error?.code).toBe(cell.modern || cell.era === 'modern' ? -32602 : -32002);
    expect(missing.error?.data).toEqual({ uri: cell.uri('test://missing') });
  },
};

async function listsAsDirect(
  cell: Cell,
  { method, member, key }: { method: string; member: string; key: string },
): Promise<void> {
  const wanted = await listAll(cell.direct, method, member);
  const found = await cell.list(method, member);
  expectSameText(
    found,
    wanted.map((item) => ({ ...item, [key]: cell.uri(String(item[key])) })),
  );
}

export const prompts: Scenario = {
  title: 'Prompts',
  proves: 'list, arguments, embedded resources and images; an unknown prompt and a missing argument are errors',
  async run(cell) {
    const wanted = await listAll(cell.direct, 'prompts/list', 'prompts');
    expectSameText(
      await cell.list('prompts/list', 'prompts'),
      wanted.map((prompt) => ({ ...prompt, name: cell.name(String(prompt['name'])) })),
    );
    const get = (name: string, args?: Fields) =>
      cell.client.call('prompts/get', { name: cell.name(name), ...(args === undefined ? {} : { arguments: args }) });
    expect((await get('test_simple_prompt')).result).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: 'This is a simple prompt for testing.' } }],
    });
    const given = await get('test_prompt_with_arguments', { arg1: 'é', arg2: '"' });
    expect(given.result?.['messages']).toMatchObject([
      { content: { text: `Prompt with arguments: arg1='é', arg2='"'` } },
    ]);
    const image = await get('test_prompt_with_image');
    const direct = await cell.direct.call('prompts/get', { name: 'test_prompt_with_image' });
    expectSameText(image.result?.['messages'], direct.result?.['messages']);
    const embedded = await get('test_prompt_with_embedded_resource', { resourceUri: 'test://static-text' });
    expect(embedded.result?.['messages']).toMatchObject([
      { content: { type: 'resource', resource: { uri: cell.uri('test://static-text') } } },
      { content: { type: 'text' } },
    ]);
    expect((await get('no_such_prompt')).error?.code).toBe(-32602);
    expect((await get('test_prompt_with_arguments', { arg1: 'alone' })).error).toMatchObject({
      code: -32602,
      message: 'arg2 must be a string',
    });
  },
};

export const completion: Scenario = {
  title: 'Completion',
  proves: 'arguments of prompts and variables of resource templates; the context of earlier arguments goes along',
  async run(cell) {
    const complete = (ref: Fields, argument: Fields, more: Fields = {}) =>
      cell.client.call('completion/complete', { ref, argument, ...more });
    const prompt = { type: 'ref/prompt', name: cell.name('test_prompt_with_arguments') };
    const first = await complete(prompt, { name: 'arg1', value: 'par' });
    expectSameText(first.result?.['completion'], { values: ['paris', 'park', 'party'], total: 3, hasMore: false });
    if (isFrom(cell.revision, '2025-06-18')) {
      const second = await complete(
        prompt,
        { name: 'arg2', value: 'hel' },
        { context: { arguments: { arg1: 'paris' } } },
      );
      expect(second.result?.['completion']).toMatchObject({ values: ['paris-hello', 'paris-help'] });
    }
    const template = { type: 'ref/resource', uri: cell.uri('test://template/{id}/data') };
    const id = await complete(template, { name: 'id', value: '12' });
    expect(id.result?.['completion']).toMatchObject({ values: ['12', '123'] });
    const none = await complete({ type: 'ref/prompt', name: cell.name('no_such_prompt') }, { name: 'x', value: '' });
    expect(none.error?.code).toBe(-32602);
  },
};
