import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type App, createApp } from '../src/app/app.ts';
import { openTexts } from '../src/app/open-kept-results.ts';
import { loadSnapshot } from '../src/config/load-snapshot.ts';
import type { Snapshot } from '../src/config/settings.ts';
import { systemClock } from '../src/core/clock.ts';
import { createApprovalStore } from '../src/storage/approvals.ts';
import { type Database, openDatabase } from '../src/storage/database.ts';
import { createKey, revokeKey } from '../src/storage/keys.ts';
import { createPinStore } from '../src/storage/pins.ts';
import { type HttpUpstream, type Incoming, startHttpUpstream } from './http-upstream.ts';
import { PlainClient } from './plain-client.ts';
import { newTestFolder, type RunningGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

/**
 * No order of requests reaches an upstream without a decision: commands in any order, some of them at once, over the
 * whole program in this process with a real upstream behind it. What the upstream runs is compared with the decisions
 * that were made, and with the record, at the moment the call arrives.
 */

const TOOLS = ['open', 'asked', 'hidden', 'drifting'] as const;
type Tool = (typeof TOOLS)[number];
const PEOPLE = [0, 1] as const;
type Who = (typeof PEOPLE)[number];

interface CallMade {
  readonly kind: 'call';
  readonly tool: Tool;
  readonly who: Who;
  /** Two values: repeated calls meet yeses that are used up. */
  readonly n: 0 | 1;
  readonly era: 'legacy' | 'modern' | 'no session';
  readonly cancel: boolean;
}
type Event =
  | { readonly kind: 'initialize' | 'list' | 'revoke'; readonly who: Who }
  | { readonly kind: 'allow' | 'deny' }
  | { readonly kind: 'hide' | 'show' | 'drift' | 'approve'; readonly tool: Tool };
/** Calls, and what happens while they are on their way. */
interface Step {
  readonly calls: readonly CallMade[];
  readonly event: Event | undefined;
}

const who = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0 as const) },
  { weight: 1, arbitrary: fc.constant(1 as const) },
);
const tool = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...TOOLS) },
  { weight: 1, arbitrary: fc.constant('asked' as const) },
);
const call: fc.Arbitrary<CallMade> = fc.record({
  kind: fc.constant('call' as const),
  tool,
  who,
  n: fc.oneof({ weight: 4, arbitrary: fc.constant(0 as const) }, { weight: 1, arbitrary: fc.constant(1 as const) }),
  era: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('legacy' as const, 'modern' as const) },
    { weight: 1, arbitrary: fc.constant('no session' as const) },
  ),
  cancel: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('initialize' as const, 'list' as const), who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revoke' as const), who: fc.constantFrom(...PEOPLE) }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom('allow' as const, 'allow' as const, 'deny' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('hide' as const, 'show' as const), tool }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('drift' as const, 'approve' as const),
      tool: fc.constant('drifting' as const),
    }),
  },
);
const step: fc.Arbitrary<Step> = fc.record({
  calls: fc.array(call, { maxLength: 4 }),
  event: fc.option(event, { nil: undefined }),
});

test('no order of requests reaches an upstream without a decision', { timeout: 240_000 }, async () => {
  const seen = { ran: 0, ranAfterYes: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const world = await World.open();
      try {
        for (const one of steps) await world.play(one);
        world.check();
        seen.ran += world.executed.length;
        seen.ranAfterYes += world.executed.filter((one) => one.tool === 'asked').length;
        seen.refused += world.refused;
      } finally {
        await world.close();
      }
    }),
    { numRuns: 15, interruptAfterTimeLimit: 150_000, markInterruptAsFailure: false },
  );
  // Refusing everything must fail, too.
  expect(seen.ran).toBeGreaterThan(20);
  expect(seen.ranAfterYes).toBeGreaterThan(0);
  expect(seen.refused).toBeGreaterThan(20);
});

interface Executed {
  readonly tool: Tool;
  readonly who: Who;
  readonly n: number;
}

class World {
  readonly executed: Executed[] = [];
  readonly #violations: string[] = [];
  refused = 0;
  readonly #stateDir: string;
  #app!: App;
  #database!: Database;
  #upstream!: HttpUpstream;
  #origin = '';
  #version = 1;
  readonly #clients = new Map<Who, { modern: PlainClient; legacy: PlainClient; hasSession: boolean }>();
  /** The configuration and decisions in force; while a step runs, what came before counts as well. */
  readonly #shown = new Set<Tool>(['open', 'asked', 'drifting']);
  readonly #revoked = new Set<Who>();
  #held = false;
  #definition = 1;
  /** Yeses per call, used or not. */
  readonly #yeses = new Map<string, number>();
  /** Whether a call may run now, or could when its step began. */
  #before: (made: Executed) => boolean = () => false;

  private constructor(stateDir: string) {
    this.#stateDir = stateDir;
  }

  static async open(): Promise<World> {
    const world = new World(newTestFolder());
    await world.#start();
    return world;
  }

  async #start(): Promise<void> {
    this.#upstream = await startHttpUpstream({
      tools: [],
      session: () => `session-${this.#definition}`,
      behave: (message, response) => {
        if (message.method === 'tools/call') {
          this.#arrived(message);
          // Long enough for other things to happen meanwhile.
          setTimeout(() => {
            const result = { content: [{ type: 'text', text: 'ran' }] };
            response.writeHead(200, { 'content-type': 'application/json' });
            response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
          }, 5);
          return true;
        }
        if (message.method !== 'tools/list') return false;
        const tools = TOOLS.map((name) => ({
          name,
          description: name === 'drifting' ? `Version ${this.#definition}` : name,
          inputSchema: { type: 'object' },
        }));
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { tools } }));
        return true;
      },
    });
    this.#app = await createApp({ snapshot: this.#snapshot(), logLevel: 'silent', logCalls: false });
    const { origin } = await this.#app.openHttp();
    this.#origin = origin;
    this.#database = await openDatabase(join(this.#stateDir, 'sallyport.db'));
    for (const one of PEOPLE) await this.#addCaller(one);
    // The first sight of every definition is approved.
    await waitFor(async () => expect(await this.#namesFor(0)).toContain('up_drifting'));
  }

  async #addCaller(one: Who): Promise<void> {
    const { secret } = await createKey(
      this.#database,
      { name: `caller-${one}`, groups: [], attributes: {} },
      systemClock.now(),
    );
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${secret}`,
    };
    // The parts of a gateway that a plain client uses.
    const gateway = { url: `${this.#origin}/mcp`, headers } as unknown as RunningGateway;
    const modern = new PlainClient(gateway);
    await waitFor(async () => expect((await modern.askModern('server/discover')).status).toBe(200));
    this.#clients.set(one, { modern, legacy: new PlainClient(gateway), hasSession: false });
  }

  #snapshot(): Snapshot {
    const text = JSON.stringify({
      gateway: { auth: 'key' },
      audit: { mode: 'strict', values: 'full' },
      approvals: { asks: ['up/asked'], elicit: false },
      mcpServers: { up: { url: this.#upstream.url, listTtlMs: 1000, allow: { tools: [...this.#shown] } } },
    });
    const snapshot = loadSnapshot({
      file: undefined,
      text,
      env: {},
      stateDir: this.#stateDir,
      version: this.#version++,
    });
    return { ...snapshot, gateway: { ...snapshot.gateway, port: 0 } };
  }

  async #namesFor(one: Who): Promise<readonly string[]> {
    const { result } = await (this.#clients.get(one) as { modern: PlainClient }).modern.requestModern('tools/list');
    return ((result?.['tools'] as { name: string }[] | undefined) ?? []).map(({ name }) => name);
  }

  /** At the upstream: this runs. */
  #arrived({ params }: Incoming): void {
    const given = (params as { arguments?: { who?: Who; n?: number } }).arguments ?? {};
    const made: Executed = { tool: params?.name as Tool, who: given.who as Who, n: Number(given.n) };
    this.executed.push(made);
    if (!this.#before(made) && !this.#mayRun(made)) this.#violations.push(`ran undecided: ${toKey(made)}`);
    const times = this.executed.filter((one) => toKey(one) === toKey(made)).length;
    if (made.tool === 'asked' && times > (this.#yeses.get(toKey(made)) ?? 0))
      this.#violations.push(`ran without a yes of its own: ${toKey(made)}`);
    const admitted = this.#admissions().filter((one) => toKey(one) === toKey(made));
    if (admitted.length < times) this.#violations.push(`ran before it was recorded: ${toKey(made)}`);
    if (made.tool === 'asked' && admitted.some((one) => one.approval === undefined))
      this.#violations.push(`no approval on its record: ${toKey(made)}`);
  }

  #mayRun({ tool: name, who: one }: Executed): boolean {
    return this.#shown.has(name) && !this.#revoked.has(one) && !(name === 'drifting' && this.#held);
  }

  /** What the record on the disk says was let through. */
  #admissions(): readonly (Executed & { approval: string | undefined })[] {
    const folder = join(this.#stateDir, 'audit', '0');
    return readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
      .filter((line) => line.includes('"kind":"admitted"'))
      .map((line) => JSON.parse(line) as { tool: Tool; approval?: string; argumentsValue: Executed })
      .map(({ tool: name, approval, argumentsValue: { who: one, n } }) => ({ tool: name, who: one, n, approval }));
  }

  async play({ calls, event: happening }: Step): Promise<void> {
    const shown = new Set(this.#shown);
    const revoked = new Set(this.#revoked);
    const held = this.#held;
    this.#before = ({ tool: name, who: one }) => shown.has(name) && !revoked.has(one) && !(name === 'drifting' && held);
    const made = calls.map((one) => this.#call(one));
    if (happening !== undefined) await this.#happen(happening);
    await Promise.all(made);
    this.#before = () => false;
  }

  async #call({ tool: name, who: one, n, era, cancel }: CallMade): Promise<void> {
    const { modern, legacy, hasSession } = this.#clients.get(one) as {
      modern: PlainClient;
      legacy: PlainClient;
      hasSession: boolean;
    };
    const params = { name: `up_${name}`, arguments: { who: one, n } };
    const client = era === 'modern' ? modern : legacy;
    const session = era === 'legacy' && hasSession ? client.session : {};
    const id = Math.floor(Math.random() * 1e9);
    const answer =
      era === 'modern'
        ? client.askModern('tools/call', params)
        : client.post(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }), session);
    if (cancel && era === 'legacy' && hasSession) {
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } };
      await client.post(JSON.stringify(cancelled), session);
    }
    const { body } = await answer;
    if (!body.includes('"text":"ran"')) this.refused++;
  }

  async #happen(happening: Event): Promise<void> {
    switch (happening.kind) {
      case 'initialize':
        return this.#initialize(happening.who);
      case 'list':
        await this.#clients.get(happening.who)?.modern.askModern('tools/list');
        return;
      case 'allow':
      case 'deny':
        return this.#answer(happening.kind);
      case 'hide':
        this.#shown.delete(happening.tool);
        this.#app.reload(this.#snapshot());
        return;
      case 'show':
        this.#shown.add(happening.tool);
        this.#app.reload(this.#snapshot());
        return;
      case 'drift':
        return this.#drift();
      case 'approve':
        return this.#approve();
      case 'revoke': {
        await revokeKey(this.#database, `caller-${happening.who}`, systemClock.now());
        const { modern } = this.#clients.get(happening.who) as { modern: PlainClient };
        await waitFor(async () => expect((await modern.askModern('server/discover')).status).toBe(401));
        this.#revoked.add(happening.who);
      }
    }
  }

  async #initialize(one: Who): Promise<void> {
    const caller = this.#clients.get(one);
    if (caller === undefined || this.#revoked.has(one)) return;
    await caller.legacy.initialize();
    caller.hasSession = true;
  }

  /** A person at a command line, beside the running program. */
  async #answer(kind: 'allow' | 'deny'): Promise<void> {
    const store = createApprovalStore(this.#database, systemClock, await openTexts(this.#stateDir)());
    const [waiting] = await store.list({ state: 'waiting' });
    if (waiting === undefined) return;
    const by = { by: 'os:test', via: 'command' as const, at: systemClock.now() };
    if (kind === 'allow') {
      const { who: one, n } = waiting.arguments as unknown as Executed;
      const key = toKey({ tool: waiting.tool as Tool, who: one, n });
      // Before: the call may be on its way when the answer has been written.
      this.#yeses.set(key, (this.#yeses.get(key) ?? 0) + 1);
      await store.answer(waiting.id, { ...by, kind: 'allow', scope: 'once' } as never);
    } else await store.answer(waiting.id, { ...by, kind: 'deny', message: 'no' } as never);
  }

  /** The server says something else of its tool; from the moment this is seen, nobody may call it. */
  async #drift(): Promise<void> {
    const reader = PEOPLE.find((one) => !this.#revoked.has(one));
    if (reader === undefined || this.#held || !this.#shown.has('drifting')) return;
    this.#definition++;
    await waitFor(async () => expect(await this.#namesFor(reader)).not.toContain('up_drifting'));
    this.#held = true;
  }

  async #approve(): Promise<void> {
    const reader = PEOPLE.find((one) => !this.#revoked.has(one));
    if (reader === undefined || !this.#held || !this.#shown.has('drifting')) return;
    const store = createPinStore(this.#database, 'none');
    this.#held = false;
    await waitFor(async () => {
      const { pins } = await store.read();
      const pin = pins.find(({ kind, name }) => kind === 'tools' && name === 'drifting');
      expect(pin?.seen?.digest).not.toBe(pin?.approved?.digest);
      const { server = '', name = '', seen } = pin ?? {};
      await store.decide(
        [{ server, kind: 'tools', name, digest: seen?.digest ?? '', decision: 'approve', by: 'test' }],
        new Date().toISOString(),
      );
    });
    await waitFor(async () => expect(await this.#namesFor(reader)).toContain('up_drifting'));
  }

  check(): void {
    expect(this.#violations).toEqual([]);
  }

  async close(): Promise<void> {
    await this.#database.destroy();
    await this.#app.close();
    await this.#upstream.close();
    rmSync(this.#stateDir, { recursive: true, force: true });
  }
}

function toKey({ tool: name, who: one, n }: Executed): string {
  return `${name} ${one} ${n}`;
}
