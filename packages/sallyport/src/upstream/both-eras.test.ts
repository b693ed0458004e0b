import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSubject, type Subject } from '../../test/http-subject.ts';
import {
  CAPABLE,
  childSettings,
  createClient,
  httpSettings,
  type Opened,
  openUpstreams,
  TestExchange,
  toCall,
} from '../../test/upstream-set-up.ts';
import type { ServerSettings } from '../config/settings.ts';
import type { Era } from '../core/client.ts';
import type { JsonObject } from '../core/json.ts';
import { createEraMemory, type EraStore, toEraKey } from './era-store.ts';

const CHILD = fileURLToPath(new URL('../../test/fixtures/child-era.mjs', import.meta.url));
const DISCOVERED = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {} };

const opened: Opened[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

function open(settings: ServerSettings, eras: EraStore = createEraMemory()): Opened {
  const upstreams = openUpstreams(settings, eras);
  opened.push(upstreams);
  return upstreams;
}

async function call(upstreams: Opened, era: Era, key = `${era} client`, capabilities: JsonObject = {}) {
  const client = createClient(key, capabilities, era);
  const answer = await upstreams.send(
    'subject',
    toCall('tool'),
    new TestExchange({ client, exclusive: era === 'modern' }),
  );
  return answer.result;
}

describe('a child', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-era-'));
    file = join(folder, 'heard');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const heard = async () =>
    (await readFile(file, 'utf8')).split('\n').filter((line) => /^(start|server.discover|initialize)$/.test(line));
  const settings = (manner: string, own: Partial<ServerSettings> = {}) => childSettings([CHILD, manner, file], own);

  it.each(['dual', 'dual-by-process'])('of both eras (%s) is one process for each era that is used', async (manner) => {
    const upstreams = open(settings(manner));
    const legacy = await call(upstreams, 'legacy');
    expect(await heard()).toEqual(['start', 'initialize']);
    const modern = await call(upstreams, 'modern');
    expect(await heard()).toEqual(['start', 'initialize', 'start', 'server/discover']);
    expect(modern).not.toEqual(legacy);
    expect(await call(upstreams, 'legacy', 'another')).toEqual(legacy);
    expect(await call(upstreams, 'modern', 'another', CAPABLE)).toEqual(modern);
    expect(await heard()).toHaveLength(4);
    expect(upstreams.status('subject')).toMatchObject({ era: 'both', connections: 2 });
  });

  it('of both eras that is used in one of them is one process', async () => {
    for (const era of ['legacy', 'modern'] as const) {
      const upstreams = open(settings('dual-by-process'));
      await Promise.all(['a', 'b', 'c'].map((key) => call(upstreams, era, key)));
      expect(upstreams.status('subject')).toMatchObject({ era, pids: [expect.any(Number)] });
    }
  });

  it('of the legacy era is asked once for the other one, and no second process stays', async () => {
    const eras = createEraMemory();
    const upstreams = open(settings('legacy'), eras);
    const pid = await call(upstreams, 'legacy');
    expect(await call(upstreams, 'modern')).toEqual(pid);
    expect(await heard()).toEqual(['start', 'initialize', 'start', 'server/discover', 'initialize']);
    await call(upstreams, 'modern', 'another');
    await call(open(settings('legacy'), eras), 'modern');
    expect((await heard()).slice(5)).toEqual(['start', 'initialize']);
    expect(upstreams.status('subject')).toMatchObject({ era: 'legacy', connections: 1 });
  });

  it.each([
    ['modern', ['start', 'initialize', 'server/discover']],
    ['dies-of-initialize', ['start', 'initialize', 'start', 'server/discover']],
  ])('of the modern era (%s) serves legacy clients too', async (manner, lines) => {
    const eras = createEraMemory();
    const upstreams = open(settings(manner), eras);
    const pid = await call(upstreams, 'legacy');
    expect(await heard()).toEqual(lines);
    expect(await call(upstreams, 'modern')).toEqual(pid);
    expect(await heard()).toEqual(lines);
    await call(open(settings(manner), eras), 'legacy');
    expect((await heard()).slice(lines.length)).toEqual(['start', 'server/discover']);
  });

  it('that is not used any more in one era is stopped there alone', async () => {
    const upstreams = open(settings('dual-by-process', { idleMs: 1_000 }));
    await call(upstreams, 'legacy');
    const modern = await call(upstreams, 'modern');
    await expect
      .poll(async () => [await call(upstreams, 'modern'), upstreams.status('subject')?.connections], { interval: 20 })
      .toEqual([modern, 1]);
  });

  it('is used in the era that is forced, whoever asks', async () => {
    const upstreams = open(settings('dual', { era: 'legacy' }));
    expect(await call(upstreams, 'modern')).toEqual(await call(upstreams, 'legacy'));
    expect(await heard()).toEqual(['start', 'initialize']);
  });

  it('tells which lists of which clients a start concerns', async () => {
    const upstreams = open(settings('dual-by-process'));
    await call(upstreams, 'legacy');
    await call(upstreams, 'modern');
    expect(upstreams.events).toEqual([
      { kind: 'connected', upstream: 'subject' },
      { kind: 'connected', upstream: 'subject', era: 'modern' },
    ]);
  });
});

describe('an address', () => {
  let subject: Subject;
  beforeEach(async () => {
    subject = await openSubject();
    subject.on('tools/call', ({ result, headers }) => result({ modern: headers['mcp-method'] !== undefined }));
  });
  afterEach(() => subject.close());

  const posts = () =>
    subject.seen.flatMap(({ message: { method = '' } }) => (/discover|initialize$/.test(method) ? [method] : []));
  const settings = () => httpSettings(subject.url, {}, 'auto');

  it('of both eras speaks to each client in its own', async () => {
    subject.on('server/discover', ({ result }) => result(DISCOVERED));
    const upstreams = open(settings());
    for (const key of ['a', 'b']) {
      expect(await call(upstreams, 'legacy', key)).toEqual({ modern: false });
      expect(await call(upstreams, 'modern', key)).toEqual({ modern: true });
    }
    expect(posts()).toEqual(['initialize', 'server/discover']);
    expect(upstreams.status('subject')).toMatchObject({ era: 'both', connections: 2 });
  });

  it('of the legacy era has one connection for the clients of both', async () => {
    const upstreams = open(settings());
    for (const era of ['legacy', 'modern', 'legacy', 'modern'] as const)
      expect(await call(upstreams, era)).toEqual({ modern: false });
    expect(posts()).toEqual(['initialize', 'server/discover', 'initialize']);
    expect(upstreams.status('subject')).toMatchObject({ era: 'legacy', connections: 1 });
  });

  it('of the modern era has one connection for the clients of both, and is asked for the other one again after a day', async () => {
    subject.on('server/discover', ({ result }) => result(DISCOVERED));
    subject.on('initialize', ({ error }) => error(-32601, 'Method not found', { status: 404 }));
    const eras = createEraMemory();
    const upstreams = open(settings(), eras);
    for (const era of ['legacy', 'modern', 'legacy', 'modern'] as const)
      expect(await call(upstreams, era)).toEqual({ modern: true });
    expect(posts()).toEqual(['initialize', 'server/discover']);
    expect(upstreams.status('subject')).toMatchObject({ era: 'modern', connections: 1 });
    await call(open(settings(), eras), 'legacy');
    expect(posts().slice(2)).toEqual(['server/discover']);
    const key = toEraKey('subject', settings().transport);
    const missing = { revision: undefined, foundAt: '2020-01-01T00:00:00.000Z', transport: 'http' } as const;
    eras.set(key, { ...eras.get(key), legacy: missing });
    await call(open(settings(), eras), 'legacy');
    expect(posts().slice(3)).toEqual(['initialize', 'server/discover']);
  });

  it('clients of both eras that come first together wait for one connection to find out', async () => {
    subject.on('server/discover', ({ result }) => result(DISCOVERED));
    const upstreams = open(settings());
    const all = await Promise.all(
      (['legacy', 'modern', 'legacy', 'modern'] as const).map((era) => call(upstreams, era)),
    );
    expect(all).toEqual([{ modern: false }, { modern: true }, { modern: false }, { modern: true }]);
    expect(posts()).toEqual(['initialize', 'server/discover']);
  });
});
