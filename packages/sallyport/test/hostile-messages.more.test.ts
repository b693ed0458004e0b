import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCatalog } from '../src/catalog/catalog.ts';
import { NO_AUDIT } from '../src/core/audit.ts';
import { systemClock } from '../src/core/clock.ts';
import type { Exchange } from '../src/core/exchange.ts';
import { type Answer, parseMessage, Request } from '../src/core/message.ts';
import type { UpstreamRequest } from '../src/core/upstream-port.ts';
import { InFlight } from '../src/gateway/in-flight.ts';
import type { GatewayPorts } from '../src/gateway/ports.ts';
import { createSeal } from '../src/gateway/seal.ts';
import { openStdioFront } from '../src/gateway/stdio-front.ts';
import { createGuards } from '../src/guard/guards.ts';
import { createSchemaChecker } from '../src/guard/schema/schema-checker.ts';
import { FakeUpstreams, serverSettings, snapshotOf } from './fake-upstreams.ts';
import { problemWith } from './json-rpc-shape.ts';
import { INITIALIZE } from './message-channels.ts';
import { FixedRandom, mutate, SEEDS } from './message-mutator.ts';
import { modernParams } from './plain-client.ts';
import { openGuards } from './sample-guards.ts';
import { openRelay } from './sample-relay.ts';

const SEED = 0x5a11_0917;
const MESSAGES = 1_000_000;
const BATCH = 1_000;
/** Until then code is compiled, and stores that are bounded fill up. */
const WARM = 400_000;
const BETWEEN_MEASURES = 50_000;
/** One call in fifty that leaves a record behind is more. Bytes per message. */
const MOST_GROWTH = 3;

// Nearly every message is refused, and the traces of a million refusals would take a third of the time.
Error.stackTraceLimit = 1;
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Lists, answers, questions and progress, all in memory; whatever reaches it must be a whole request under the id it was given. */
class ListeningUpstreams extends FakeUpstreams {
  readonly problems: string[] = [];
  reached = 0;
  #questions = 0;

  override async send(upstream: string, sent: UpstreamRequest, exchange: Exchange): Promise<Answer> {
    this.asked.length = 0;
    this.exchanges.length = 0;
    const text = sent.request.write('70707', sent.edits);
    this.#check(text, sent);
    // A call parked for a modern client is kept for minutes, by design and up to a bound: that must not look like growth.
    if (sent.target === 'asks' && ++this.#questions <= 1_000) {
      exchange.notify(notificationOf('notifications/progress', { progressToken: 1, progress: 1 }));
      const asked = exchange.ask(Request.of('1', 'elicitation/create', { message: 'May I?', requestedSchema: {} }));
      await Promise.race([asked.catch(() => {}), new Promise((resolve) => setImmediate(resolve))]);
    }
    return super.send(upstream, sent, exchange);
  }

  #check(text: string, { request }: UpstreamRequest): void {
    this.reached++;
    const seen = parseMessage(Buffer.from(text, 'latin1'));
    if (!(seen instanceof Request) || seen.id !== '70707' || seen.method !== request.method) this.problems.push(text);
  }
}

function notificationOf(method: string, params: object) {
  const message = parseMessage(Buffer.from(JSON.stringify({ jsonrpc: '2.0', method, params })));
  if (message.kind !== 'notification') throw new Error('not a notification');
  return message;
}

const LISTS = {
  'tools/list': `{"tools":[${['echo', 'asks', 'fails'].map((name) => `{"name":"${name}","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}`)}]}`,
  'resources/list': '{"resources":[{"uri":"test://one","name":"one"}]}',
  'resources/templates/list': '{"resourceTemplates":[{"uriTemplate":"test://{x}","name":"any"}]}',
  'prompts/list': '{"prompts":[{"name":"prompt","arguments":[{"name":"topic"}]}]}',
  'resources/read': '{"contents":[{"uri":"test://one","text":"1"}]}',
  'completion/complete': '{"completion":{"values":["a"]}}',
  'prompts/get': '{"messages":[]}',
} as const;

function answer(method: string, params: Record<string, unknown>): string {
  if (method === 'tools/call')
    return params['name'] === 'fails' ? '!{"code":-32000,"message":"no"}' : '{"content":[{"type":"text","text":"ok"}]}';
  return Object.hasOwn(LISTS, method) ? LISTS[method as keyof typeof LISTS] : '{}';
}

/** The stdio front on streams in memory, with everything behind it but the processes. */
async function openFront(upstreams: FakeUpstreams, opening: string | undefined) {
  const settings = serverSettings('fake');
  const limits = { ...snapshotOf([]).gateway.limits, inFlight: 100_000, inFlightPerClient: 100_000 };
  const snapshot = snapshotOf([settings], { limits });
  const checker = createSchemaChecker();
  const catalog = createCatalog({
    upstreams,
    store: { load: async () => undefined, save: async () => {} },
    clock: systemClock,
    log: silent.log,
    schemas: checker,
  });
  const ports: GatewayPorts = {
    // The records of a million calls would be kept by the test itself.
    ...openRelay(createGuards(openGuards(checker)), { callLog: { write() {} } }).ports,
    upstreams,
    audit: NO_AUDIT,
    log: silent.log,
    catalog,
    tasks: { followTask: async () => false, unfollowTask() {} },
    snapshot: () => snapshot,
    seal: createSeal(Buffer.alloc(32, 7)),
    inFlight: new InFlight(),
  };
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const front = openStdioFront(ports, { stdin, stdout }, { kind: 'all' });
  const heard = { started: false, answers: 0, bad: [] as string[], internal: 0 };
  let held = '';
  stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (held + chunk).split('\n');
    held = lines.pop() ?? '';
    for (const line of lines) {
      heard.answers++;
      if (line.includes('"id":"first"')) heard.started = true;
      const problem = problemWith(line);
      if (problem !== undefined) heard.bad.push(`${problem}: ${line.slice(0, 300)}`);
      if (line.includes('Sallyport failed inside')) heard.internal++;
    }
  });
  if (opening !== undefined) stdin.write(`${opening}\n`);
  while (opening !== undefined && heard.answers === 0) await turn();
  // Lists are known and schemas compiled before the storm: on a busy machine a worker may take its time to start.
  const params = { name: 'fake_echo', arguments: {} };
  const call = {
    jsonrpc: '2.0',
    id: 'first',
    method: 'tools/call',
    params: opening === undefined ? modernParams(params) : params,
  };
  stdin.write(`${JSON.stringify(call)}\n`);
  while (!heard.started) await turn();
  const close = async () => {
    front.close();
    await catalog.close();
    await checker.close();
  };
  return { stdin, heard, ports, close };
}

/** Errors the program logs about itself are unexpected throws that somebody caught. */
const silent = {
  errors: [] as unknown[],
  log: {
    debug() {},
    info() {},
    warn() {},
    error(fields: unknown, message: string) {
      silent.errors.push([message, fields]);
    },
  },
};

/** The median of the slopes between any two points (Theil and Sen): one odd measure, or code that is dropped, changes nothing. */
function slopeOf(points: readonly number[]): number {
  const slopes = points.flatMap((point, i) => points.slice(0, i).map((before, j) => (point - before) / (i - j)));
  return slopes.sort((a, b) => a - b)[slopes.length >> 1] ?? Number.NaN;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const opening = (protocolVersion: string, capabilities = {}) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 'open',
    method: 'initialize',
    params: { ...INITIALIZE, protocolVersion, capabilities },
  });

describe('hostile messages, in process', () => {
  const upstreams = () =>
    new ListeningUpstreams({
      fake: {
        capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
        answer,
      },
    });

  /** A session of each kind, and none: modern requests only. */
  const openFronts = (behind: FakeUpstreams) =>
    Promise.all(
      [opening('2025-11-25', { elicitation: {}, sampling: {}, roots: {} }), opening('2025-03-26'), undefined].map(
        (text) => openFront(behind, text),
      ),
    );

  async function settle(fronts: Awaited<ReturnType<typeof openFronts>>): Promise<void> {
    for (const { ports } of fronts) while (ports.inFlight.count > 0) await turn();
  }

  it('a million mutated messages: nothing thrown, nothing answered that is no JSON-RPC, no growth', {
    timeout: 600_000,
  }, async () => {
    const behind = upstreams();
    const fronts = await openFronts(behind);
    const random = new FixedRandom(SEED);
    const heaps: number[] = [];
    const measure = async () => {
      await settle(fronts);
      collectGarbage();
      heaps.push(process.memoryUsage().heapUsed);
    };
    for (let sent = 0; sent < MESSAGES; sent += BATCH) {
      const lines: Buffer[] = [];
      for (let i = 0; i < BATCH; i++) lines.push(mutate(random, random.pick(SEEDS), sent + i), NEWLINE);
      fronts[(sent / BATCH) % fronts.length]?.stdin.write(Buffer.concat(lines));
      await turn();
      await turn();
      if (sent >= WARM && sent % BETWEEN_MEASURES === 0) await measure();
    }
    await measure();
    for (const front of fronts) await front.close();
    expect(fronts.flatMap(({ heard }) => heard.bad)).toEqual([]);
    expect(fronts.map(({ heard }) => heard.internal)).toEqual([0, 0, 0]);
    expect(silent.errors).toEqual([]);
    expect(behind.problems).toEqual([]);
    // Both doors were reached, not only the parser.
    expect(behind.reached).toBeGreaterThan(20_000);
    for (const { heard } of fronts) expect(heard.answers).toBeGreaterThan(MESSAGES / 10);
    const growth = slopeOf(heaps) / BETWEEN_MEASURES;
    expect(growth, `bytes per message; heaps: ${heaps}`).toBeLessThan(MOST_GROWTH);
  });

  it('any shape of a message', async () => {
    const behind = upstreams();
    const fronts = await openFronts(behind);
    const methods = [
      'initialize',
      'ping',
      'tools/list',
      'tools/call',
      'prompts/get',
      'resources/read',
      'logging/setLevel',
      'completion/complete',
      'notifications/cancelled',
      'notifications/initialized',
      'server/discover',
      'subscriptions/listen',
      'tasks/get',
      '__proto__',
    ];
    const id = fc.oneof(fc.integer(), fc.double(), fc.string({ unit: 'binary' }), fc.jsonValue());
    const known = fc.record(
      {
        name: fc.oneof(fc.constantFrom('fake_echo', 'fake_asks', 'fake_prompt', 'toString'), fc.jsonValue()),
        uri: fc.oneof(fc.constant('fake+test://one'), fc.jsonValue()),
        arguments: fc.jsonValue(),
        cursor: fc.jsonValue(),
        level: fc.oneof(fc.constant('info'), fc.jsonValue()),
        ref: fc.jsonValue(),
        argument: fc.jsonValue(),
        taskId: fc.jsonValue(),
        requestId: id,
        notifications: fc.jsonValue(),
        requestState: fc.jsonValue(),
        inputResponses: fc.jsonValue(),
        _meta: fc.oneof(
          fc.jsonValue(),
          fc.record(
            {
              progressToken: id,
              'io.modelcontextprotocol/protocolVersion': fc.oneof(fc.constant('2026-07-28'), fc.jsonValue()),
              'io.modelcontextprotocol/clientCapabilities': fc.oneof(fc.constant({}), fc.jsonValue()),
              'io.modelcontextprotocol/clientInfo': fc.jsonValue(),
              'io.modelcontextprotocol/logLevel': fc.oneof(fc.constant('debug'), fc.jsonValue()),
            },
            { requiredKeys: [] },
          ),
        ),
      },
      { requiredKeys: [] },
    );
    const message = fc.record(
      {
        jsonrpc: fc.oneof({ arbitrary: fc.constant('2.0'), weight: 9 }, { arbitrary: fc.jsonValue(), weight: 1 }),
        id,
        method: fc.oneof(
          { arbitrary: fc.constantFrom(...methods), weight: 9 },
          { arbitrary: fc.jsonValue(), weight: 1 },
        ),
        params: fc.oneof({ arbitrary: known, weight: 5 }, { arbitrary: fc.jsonValue(), weight: 1 }),
        result: fc.jsonValue(),
        error: fc.jsonValue(),
      },
      { requiredKeys: ['jsonrpc', 'method', 'params'] },
    );
    const lines = fc.sample(message, { numRuns: 8_000, seed: SEED }).map((value) => `${JSON.stringify(value)}\n`);
    for (let from = 0; from < lines.length; from += 200) {
      for (const front of fronts) front.stdin.write(lines.slice(from, from + 200).join(''));
      await turn();
    }
    await settle(fronts);
    for (const front of fronts) await front.close();
    expect(fronts.flatMap(({ heard }) => heard.bad)).toEqual([]);
    expect(fronts.map(({ heard }) => heard.internal)).toEqual([0, 0, 0]);
    expect(silent.errors).toEqual([]);
    expect(behind.problems).toEqual([]);
    // Most carry a state that nobody sealed, or a task nobody was given, and end before.
    expect(behind.reached).toBeGreaterThan(300);
  });
});

const NEWLINE = Buffer.from('\n');
