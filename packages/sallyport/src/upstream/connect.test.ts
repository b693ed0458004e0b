import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEGACY_HELLO, openSubject, type Subject } from '../../test/http-subject.ts';
import {
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
import { createEraMemory, type EraRecord, type EraStore, toEraKey } from './era-store.ts';

const CHILD = fileURLToPath(new URL('../../test/fixtures/child-era.mjs', import.meta.url));
/** What is known of a server of one era. */
function toRecord(era: Era, transport: 'http' | 'stdio', foundAt = '2020-01-01T00:00:00.000Z'): EraRecord {
  const revision = era === 'legacy' ? '2025-06-18' : '2026-07-28';
  const missing = era === 'legacy' ? 'modern' : 'legacy';
  return { [era]: { revision, foundAt, transport }, [missing]: { revision: undefined, foundAt, transport } };
}

const opened: Opened[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

function open(settings: ServerSettings, eras: EraStore = createEraMemory()): Opened {
  const upstreams = openUpstreams(settings, eras);
  opened.push(upstreams);
  return upstreams;
}

function knowing(settings: ServerSettings, record: EraRecord): EraStore {
  const eras = createEraMemory();
  eras.set(toEraKey(settings.name, settings.transport), record);
  return eras;
}

const call = (upstreams: Opened) => upstreams.send('subject', toCall('tool'), new TestExchange());

describe('finding the era of a child', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-era-'));
    file = join(folder, 'heard');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const heard = async () =>
    (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .filter((line) => line !== 'tools/call' && line !== 'notifications/initialized');
  const settings = (manner: string, own: Partial<ServerSettings> = {}) => childSettings([CHILD, manner, file], own);

  it.each<[string, 'legacy' | 'modern', string[]]>([
    ['legacy', 'legacy', ['start', 'server/discover', 'initialize']],
    ['modern', 'modern', ['start', 'server/discover']],
    ['dual', 'modern', ['start', 'server/discover']],
    ['silent-to-discover', 'legacy', ['start', 'server/discover', 'initialize']],
    ['dies-of-discover', 'legacy', ['start', 'server/discover', 'start', 'initialize']],
    ['struck-dumb', 'legacy', ['start', 'server/discover', 'start', 'initialize']],
  ])('%s is %s after %j', async (manner, era, lines) => {
    const upstreams = open(settings(manner, { startTimeoutMs: manner === 'struck-dumb' ? 2500 : 5000 }));
    expect((await call(upstreams)).result).toHaveProperty('pid');
    expect(await heard()).toEqual(lines);
    expect(upstreams.status('subject')).toMatchObject({ era, pids: [expect.any(Number)], state: 'ready' });
    expect(upstreams.status('subject')?.eraFoundAt).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  it.each<['legacy' | 'modern', string, string[]]>([
    ['legacy', 'dies-of-discover', ['start', 'initialize']],
    ['legacy', 'struck-dumb', ['start', 'initialize']],
    ['legacy', 'dual', ['start', 'initialize']],
    ['modern', 'modern', ['start', 'server/discover']],
  ])('known as %s, a %s server is started once and asked once', async (era, manner, lines) => {
    const subject = settings(manner);
    await call(open(subject, knowing(subject, toRecord(era, 'stdio'))));
    expect(await heard()).toEqual(lines);
  });

  it.each<['legacy' | 'modern', string, 'legacy' | 'modern', string[]]>([
    ['legacy', 'modern', 'modern', ['start', 'initialize', 'server/discover']],
    ['modern', 'legacy', 'legacy', ['start', 'server/discover', 'initialize']],
  ])('wrongly known as %s, a %s server is found out in the same process', async (known, manner, era, lines) => {
    const subject = settings(manner);
    const eras = knowing(subject, toRecord(known, 'stdio'));
    await call(open(subject, eras));
    expect(await heard()).toEqual(lines);
    expect(eras.get(toEraKey('subject', subject.transport))).toMatchObject({
      [era]: { revision: expect.any(String), transport: 'stdio', foundAt: expect.not.stringContaining('2020') },
      [known]: { revision: undefined },
    });
  });

  it('is not done when it is forced', async () => {
    await call(open(settings('dual', { era: 'legacy' })));
    expect(await heard()).toEqual(['start', 'initialize']);
    await expect(call(open(settings('legacy', { era: 'modern' })))).rejects.toMatchObject({
      code: 'upstream_protocol',
      message: expect.stringContaining('refused server/discover: Invalid request parameters (-32602)'),
    });
    await expect(call(open(settings('modern', { era: 'legacy' })))).rejects.toMatchObject({
      message: expect.stringContaining('refused initialize'),
    });
  });

  it.each<[string, string, RegExp]>([
    ['silent', 'timeout', /did not answer initialize in time/],
    ['modern-of-the-future', 'upstream_protocol', /Unsupported protocol version \(-32022\)/],
    ['broken', 'unreachable', /"subject"/],
  ])('fails for a %s server with the reason, and leaves no child', async (manner, code, message) => {
    const upstreams = open(settings(manner, { startTimeoutMs: 1000 }));
    await expect(call(upstreams)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(upstreams.status('subject')).toMatchObject({ pids: [], state: 'broken' });
  });

  it('is shared by all that wait for it', async () => {
    const upstreams = open(settings('legacy'));
    const answers = await Promise.all(Array.from({ length: 5 }, () => call(upstreams)));
    expect(new Set(answers.map(({ result }) => result?.['pid'])).size).toBe(1);
    expect(upstreams.events.filter(({ kind }) => kind === 'connected')).toHaveLength(1);
  });

  it('a program that does not exist is named', async () => {
    const { transport, ...rest } = settings('legacy');
    if (transport.type !== 'stdio') throw new Error('no child');
    await expect(
      call(open({ ...rest, transport: { ...transport, command: '/no/such/program' } })),
    ).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('a child that ends takes its requests along, and the next call starts another', async () => {
    const upstreams = open(settings('legacy'));
    await call(upstreams);
    await expect(upstreams.send('subject', toCall('exit'), new TestExchange())).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('5'),
    });
    expect((await call(upstreams)).result).toHaveProperty('pid');
  });
});

describe('finding the era of an address', () => {
  let subject: Subject;
  beforeEach(async () => {
    subject = await openSubject();
    subject.on('tools/call', ({ result }) => result({ ok: 1 }));
  });
  afterEach(() => subject.close());

  const posts = () => subject.seen.filter(({ method }) => method === 'POST').map(({ message }) => message.method);
  const settings = (own: Partial<ServerSettings> = {}, type: 'http' | 'auto' | 'sse' = 'auto') =>
    httpSettings(subject.url, own, type);

  it.each<[string, (subject: Subject) => void]>([
    [
      'an error with status 200',
      (each) => each.on('server/discover', ({ error }) => error(-32601, 'Method not found')),
    ],
    ['400 without a body', (each) => each.on('server/discover', ({ send }) => send(400, {}, ''))],
    [
      '400 with an old error',
      (each) =>
        each.on('server/discover', ({ error }) =>
          error(-32000, 'Bad Request: Server not initialized', { status: 400, id: null }),
        ),
    ],
    ['404', (each) => each.on('server/discover', ({ send }) => send(404, {}, 'not found'))],
    ['405', (each) => each.on('server/discover', ({ send }) => send(405, {}, ''))],
    ['406', (each) => each.on('server/discover', ({ send }) => send(406, {}, ''))],
    ['500', (each) => each.on('server/discover', ({ send }) => send(500, {}, 'KeyError'))],
    ['an empty stream', (each) => each.on('server/discover', ({ stream }) => stream().end())],
    ['a closed connection', (each) => each.on('server/discover', ({ response }) => void response.destroy())],
    ['a result that is none', (each) => each.on('server/discover', ({ result }) => result({}))],
    [
      'versions of the past',
      (each) =>
        each.on('server/discover', ({ error }) =>
          error(-32022, 'no', { status: 400, data: { supported: ['2025-11-25'] } }),
        ),
    ],
  ])('%s to server/discover means legacy', async (_name, prepare) => {
    prepare(subject);
    const upstreams = open(settings());
    expect((await call(upstreams)).result).toEqual({ ok: 1 });
    expect(posts()).toEqual(['server/discover', 'initialize', 'notifications/initialized', 'tools/call']);
    expect(upstreams.status('subject')).toMatchObject({ era: 'legacy' });
  });

  it('silence to server/discover means legacy too', async () => {
    subject.on('server/discover', () => {});
    expect((await call(open(settings({ startTimeoutMs: 2_000 })))).result).toEqual({ ok: 1 });
  });

  it.each([
    ['401', 401, 'upstream_unauthenticated'],
    ['503', 503, 'unreachable'],
    ['a redirect', 302, 'upstream_protocol'],
  ])('%s says nothing about eras', async (_name, status, code) => {
    for (const what of ['server/discover', 'initialize']) subject.on(what, ({ send }) => send(status, {}, ''));
    subject.on('GET', ({ send }) => send(status, {}, ''));
    await expect(call(open(settings()))).rejects.toMatchObject({ code });
    if (status !== 302) expect(posts()).toEqual(['server/discover']);
  });

  it('what is found is kept, by address and credential, and used without asking', async () => {
    const eras = createEraMemory();
    await call(open(settings(), eras));
    await call(open(settings(), eras));
    expect(posts().filter((method) => method === 'server/discover')).toHaveLength(1);
    const other = {
      ...settings(),
      transport: { type: 'auto', url: subject.url, headers: { authorization: 'Bearer other' } },
    } as const;
    await call(open(other, eras));
    expect(posts().filter((method) => method === 'server/discover')).toHaveLength(2);
  });

  it('a legacy address is asked again after a day', async () => {
    await call(open(settings(), knowing(settings(), toRecord('legacy', 'http'))));
    expect(posts()[0]).toBe('server/discover');
    await call(open(settings(), knowing(settings(), toRecord('legacy', 'http', new Date().toISOString()))));
    expect(posts().slice(4)[0]).toBe('initialize');
  });

  it('a server that was replaced by a modern one while connected is found out, and the refused call made once', async () => {
    const upstreams = open(settings());
    await call(upstreams);
    // The address stays, what is behind it changes.
    for (const method of ['server/discover', 'tools/call', 'initialize'])
      subject.on(method, (turn) => {
        if (turn.headers['mcp-method'] === undefined)
          turn.error(-32020, 'Header mismatch: Mcp-Method is missing', { status: 400 });
        else if (method === 'server/discover')
          turn.result({ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {} });
        else turn.result({ modern: true });
      });
    expect((await call(upstreams)).result).toEqual({ modern: true });
    expect(upstreams.status('subject')).toMatchObject({ era: 'modern' });
  });

  it('a server that was replaced by a legacy one while connected is found out too', async () => {
    subject.on('server/discover', ({ result }) =>
      result({ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {} }),
    );
    const upstreams = open(settings());
    await call(upstreams);
    subject.on('server/discover', ({ error }) =>
      error(-32000, 'Bad Request: Server not initialized', { status: 400, id: null }),
    );
    let session = false;
    subject.on('initialize', ({ result }) => {
      session = true;
      result(LEGACY_HELLO, { 'mcp-session-id': 's' });
    });
    subject.on('tools/call', ({ result, error, headers }) => {
      if (session && headers['mcp-session-id'] === 's') result({ legacy: true });
      else error(-32000, 'Bad Request: No valid session ID provided', { status: 400, id: null });
    });
    expect((await call(upstreams)).result).toEqual({ legacy: true });
    expect(upstreams.status('subject')).toMatchObject({ era: 'legacy' });
  });

  it('an unknown revision is refused with the name of the server', async () => {
    subject.on('initialize', ({ result }) => result({ ...LEGACY_HELLO, protocolVersion: '1999-01-01' }));
    await expect(call(open(settings({}, 'http')))).rejects.toMatchObject({
      code: 'upstream_protocol',
      message: expect.stringContaining('"1999-01-01"'),
    });
  });

  it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
    'revision %s is spoken',
    async (protocolVersion) => {
      subject.on('initialize', ({ result }) => result({ ...LEGACY_HELLO, protocolVersion }));
      const upstreams = open(settings());
      expect((await upstreams.identify('subject', createClient())).revision).toBe(protocolVersion);
      await call(upstreams);
      expect(subject.seen.at(-1)?.headers['mcp-protocol-version']).toBe(protocolVersion);
    },
  );

  it('what is no MCP server at all is told with everything that was tried', async () => {
    const page = await openSubject('none');
    const upstreams = open(httpSettings(page.url, {}, 'auto'));
    await expect(call(upstreams)).rejects.toMatchObject({
      code: 'upstream_protocol',
      message: expect.stringMatching(/no MCP server.*server\/discover: .*404.*initialize: .*404.*HTTP\+SSE: .*404/),
    });
    await page.close();
  });
});
