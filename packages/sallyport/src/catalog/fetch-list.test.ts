import { describe, expect, it } from 'vitest';
import { clientOf, FakeUpstreams } from '../../test/fake-upstreams.ts';
import type { JsonObject } from '../core/json.ts';
import type { ListKind } from './contract.ts';
import { fetchList, readKeptItems } from './fetch-list.ts';
import { writeItem, writeShown } from './items.ts';

function fetchFrom(answer: (params: JsonObject) => string | Promise<string>, kind: ListKind = 'tools') {
  const upstreams = new FakeUpstreams({ s: { answer: (_method, params) => answer(params) } });
  const stop = new AbortController();
  const list = fetchList({ upstreams, upstream: 's', client: clientOf(), signal: stop.signal }, kind);
  return { list, upstreams, stop };
}

describe('fetchList', () => {
  it('keeps the bytes of what it does not know, and replaces only the name', async () => {
    const text =
      '{ "x-big" : 12345678901234567890.10,\t"description":"n\\u00e4me \\"name\\" \u5929", "name" :"a\\u0062", "inputSchema":{"type":"object","name":"inner"},"_meta":{"k":1e400} }';
    const { items } = await fetchFrom(() => `{"tools":[ ${text} ]}`).list;
    expect(items.map((item) => item.id)).toEqual(['ab']);
    expect(writeItem(items[0]!)).toBe(text);
    expect(writeShown(items[0]!, 'ab', undefined)).toBe(text);
    expect(writeShown(items[0]!, 's_ab', undefined)).toBe(text.replace('"a\\u0062"', '"s_ab"'));
    expect(readKeptItems('tools', [text])).toEqual(items);
  });

  it('has what did not change as it was, and reads what did', async () => {
    const list = (...said: string[]) =>
      `{"tools":[${said.map((one, i) => `{"name":"t${i}","description":"${one}","inputSchema":{"type":"object"}}`)}]}`;
    const { items: before } = await fetchFrom(() => list('same', 'old', 'gone')).list;
    const upstreams = new FakeUpstreams({ s: { answer: () => list('same', 'new') } });
    const source = { upstreams, upstream: 's', client: clientOf(), signal: new AbortController().signal };
    const { items } = await fetchList(source, 'tools', () => new Map(before.map((item) => [item.id, item])));
    expect(items).toHaveLength(2);
    expect(items[0]).toBe(before[0]);
    expect(items[1]).toEqual((await fetchFrom(() => list('same', 'new')).list).items[1]);
  });

  const schema = '"inputSchema":{"type":"object"}';
  it.each<[ListKind, string, string]>([
    ['tools', '5', 'not an object'],
    ['tools', 'null', 'not an object'],
    ['tools', `{${schema}}`, 'name is missing'],
    ['tools', `{"name":7,${schema}}`, 'name is missing or not a string'],
    ['tools', `{"name":"",${schema}}`, 'name is missing'],
    ['tools', `{"name":"a","name":"b",${schema}}`, 'stands twice'],
    ['tools', `{"name":"a","n\\u0061me":"b",${schema}}`, 'stands twice'],
    ['tools', '{"name":"a","inputSchema":null}', 'inputSchema is not an object'],
    ['tools', '{"name":"a","inputSchema":[]}', 'inputSchema is not an object'],
    ['tools', '{"name":"a","inputSchema":{"type":"string"}}', 'inputSchema is of another type'],
    ['tools', `{"name":"a","description":5,${schema}}`, 'description is not a string'],
    ['tools', `{"name":"a","annotations":"no",${schema}}`, 'annotations is not an object'],
    ['tools', `{"name":"a","inputSchema":{"type":"object","x-mcp-header":"A"}}`, 'x-mcp-header'],
    ['resources', '{"name":"a"}', 'uri is missing'],
    ['resources', '{"uri":"x:1"}', 'name is missing'],
    ['resourceTemplates', '{"name":"a","uriTemplate":5}', 'uriTemplate is missing'],
    ['prompts', '{"name":"a","arguments":{}}', 'arguments is not an array'],
  ])('%s: leaves out %s alone', async (kind, bad, problem) => {
    const good = `{"name":"good","uri":"x:good","uriTemplate":"x:{good}",${schema}}`;
    const { items, problems } = await fetchFrom(() => `{"${kind}":[${bad},${good}]}`, kind).list;
    expect(items).toHaveLength(1);
    expect(problems).toEqual([
      { item: expect.any(String), problem: expect.stringContaining(problem), name: expect.any(String) },
    ]);
  });

  it.each([
    ['{"name":"a"}', '{"inputSchema":{"type":"object"},"name":"a"}'],
    [
      `{"name":"a", "title" : null, "outputSchema":null,"annotations":null,"description":"null","x":null,${schema}}`,
      `{"name":"a","description":"null","x":null,${schema}}`,
    ],
    ['{"name":"a","inputSchema":{ }}', '{"name":"a","inputSchema":{"type":"object"}}'],
    [
      '{"inputSchema": { "properties":{"天":{}} }, "name":"a"}',
      '{"inputSchema": {"type":"object", "properties":{"天":{}} }, "name":"a"}',
    ],
  ])('%s: clients see what they can read, and everybody else the bytes of the server', async (text, shown) => {
    const { items, problems } = await fetchFrom(() => `{"tools":[${text}]}`).list;
    expect(problems).toEqual([]);
    expect(writeShown(items[0]!, undefined, undefined)).toBe(shown);
    expect(writeItem(items[0]!)).toBe(text);
    expect(JSON.stringify(items[0]?.definition)).toBe(JSON.stringify(JSON.parse(text)));
  });

  it('takes the first of two with one name', async () => {
    const { items, problems } = await fetchFrom(
      () => `{"prompts":[{"name":"a","title":"1"},{"name":"constructor"},{"name":"a","title":"2"}]}`,
      'prompts',
    ).list;
    expect(items.map((item) => item.id)).toEqual(['a', 'constructor']);
    expect(writeItem(items[0]!)).toContain('"1"');
    expect(problems).toEqual([{ item: 'prompts/list: a', problem: 'stands twice' }]);
  });

  it('follows pages, the empty cursor included, with the shortest ttl and the narrowest scope', async () => {
    const pages = new Map<unknown, string>([
      [undefined, '{"prompts":[{"name":"a"}],"nextCursor":"","ttlMs":9000,"cacheScope":"public"}'],
      ['', '{"prompts":[{"name":"b"}],"nextCursor":"2","ttlMs":5000,"cacheScope":"private"}'],
      ['2', '{"prompts":[{"name":"c"}],"ttlMs":-1}'],
    ]);
    const list = await fetchFrom((params) => pages.get(params['cursor']) ?? '!{"code":-1}', 'prompts').list;
    expect(list.items.map((item) => item.id)).toEqual(['a', 'b', 'c']);
    expect(list).toMatchObject({ ttlMs: 0, isPrivate: true, problems: [] });
  });

  it('stops at pages that go round, at too many pages and at too many bytes', async () => {
    const round = await fetchFrom(() => '{"prompts":[{"name":"a"}],"nextCursor":"1"}', 'prompts').list;
    expect(round.problems.at(-1)).toEqual({ item: 'prompts/list', problem: expect.stringContaining('circle') });
    let page = 0;
    const endless = await fetchFrom(() => `{"prompts":[{"name":"${page++}"}],"nextCursor":"${page}"}`, 'prompts').list;
    expect(endless.items).toHaveLength(100);
    expect(endless.problems).toEqual([{ item: 'prompts/list', problem: expect.stringContaining('100 pages') }]);
    page = 0;
    const big = 'x'.repeat(3 * 1024 * 1024);
    const heavy = await fetchFrom(
      () => `{"prompts":[{"name":"${page++}","title":"${big}"}],"nextCursor":"${page}"}`,
      'prompts',
    ).list;
    expect(heavy.items).toHaveLength(2);
    expect(heavy.problems).toEqual([{ item: 'prompts/list', problem: expect.stringContaining('bytes') }]);
  });

  it('takes an unknown method for an empty list', async () => {
    const { items, problems } = await fetchFrom(() => '!{"code":-32601,"message":"no"}').list;
    expect([items, problems]).toEqual([[], []]);
  });

  it.each([
    ['!{"code":-32603,"message":"boom"}', 'error -32603: boom'],
    ['{"tools":{}}', 'no array "tools"'],
    ['{}', 'no array "tools"'],
    ['{"resultType":"input_required","inputRequests":{}}', 'input_required'],
  ])('refuses %s', async (answer, message) => {
    await expect(fetchFrom(() => answer).list).rejects.toMatchObject({
      code: 'upstream_protocol',
      message: expect.stringContaining(message),
    });
  });

  it('lets nobody be asked, and cancels when it is aborted', async () => {
    let release: (text: string) => void = () => {};
    const waiting = new Promise<string>((resolve) => {
      release = resolve;
    });
    const { list, upstreams, stop } = fetchFrom(() => waiting);
    const exchange = upstreams.exchanges[0]!;
    await expect(exchange.ask(undefined as never)).rejects.toMatchObject({ code: 'missing_capability' });
    expect(exchange.answerInputs({})).toBeUndefined();
    let reason: string | undefined;
    exchange.onCancel = (text) => {
      reason = text;
    };
    stop.abort();
    expect(reason).toContain('no longer needed');
    release('{"tools":[]}');
    await list;
  });
});
