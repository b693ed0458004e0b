import { Agent, type IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { openExchange } from './http-exchange.ts';
import { problemWith } from './json-rpc-shape.ts';
import { FixedRandom, mutate, SEEDS } from './message-mutator.ts';
import { modernHeaders, PlainClient, textOf } from './plain-client.ts';
import { descendantsOf, memoryOf, openFiles } from './process-table.ts';
import { misbehaving, startGateway } from './running-sallyport.ts';
import { isRunning } from './stdio-child.ts';

const MESSAGES = 20_000;
const AT_ONCE = 32;
/** What the specification knows for a message, well or badly formed; 5xx would be our own fault. */
const STATUSES = new Set([200, 202, 400, 404, 405, 406, 415, 429]);

/** The text of an answer; of a stream that stays open, what comes first. */
async function readSome(response: IncomingMessage): Promise<string> {
  let body = '';
  const streaming = (response.headers['content-type'] ?? '').startsWith('text/event-stream');
  for await (const chunk of response.setEncoding('utf8')) {
    body += chunk;
    if (streaming && body.endsWith('\n\n') && body.includes('data: {')) break;
  }
  return body;
}

function problemsIn(response: IncomingMessage, body: string): (string | undefined)[] {
  const status = response.statusCode ?? 0;
  if (!STATUSES.has(status)) return [`HTTP ${status}`];
  if (body === '') return [status === 200 ? 'nothing' : undefined];
  const type = response.headers['content-type'] ?? '';
  if (type.startsWith('text/event-stream'))
    return [...body.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => problemWith(data));
  if (type.startsWith('application/json')) return [problemWith(body)];
  return [status === 202 ? undefined : `a body of type ${type}`];
}

it('twenty thousand mutated messages over HTTP leave the program as it was', async () => {
  const gateway = await startGateway({
    mcpServers: { fake: misbehaving({ tools: ['echo', 'asks', 'fails', 'count'] }) },
  });
  const legacy = await new PlainClient(gateway).initialize('2025-11-25', { roots: {}, elicitation: {} });
  const batches = await new PlainClient(gateway).initialize('2025-03-26');
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const random = new FixedRandom(0x5a11_0918);
  /** Mostly the headers that go with the body, so that more is read of it. */
  const headersFor = (body: Buffer): Readonly<Record<string, string>> => {
    const text = body.toString('latin1');
    if (random.below(8) === 0) return random.pick([modernHeaders('tools/list'), legacy.session, {}]);
    if (!text.includes('2026-07-28')) return random.pick([legacy, batches]).session;
    const named = /"(?:name|uri|taskId)":"([\x21-\x7e]*?)"/.exec(text)?.[1];
    const method = /"method":"([a-z/]*)"/.exec(text)?.[1] ?? '';
    return { ...modernHeaders(method), ...(named === undefined ? {} : { 'mcp-name': named }) };
  };
  const problems: string[] = [];
  const statuses = new Map<number, number>();
  let sent = 0;
  const measured: { readonly memory: number; readonly files: number }[] = [];
  const measure = () => measured.push({ memory: memoryOf(gateway.pid).now, files: openFiles(gateway.pid) });

  async function sendOn(): Promise<void> {
    while (sent < MESSAGES) {
      const id = sent++;
      if (id === MESSAGES / 2) measure();
      const body = mutate(random, random.pick(SEEDS), id);
      const headers = { ...gateway.headers, ...headersFor(body) };
      const response = await openExchange({ url: gateway.url, headers, body, agent });
      const text = await readSome(response);
      statuses.set(response.statusCode ?? 0, (statuses.get(response.statusCode ?? 0) ?? 0) + 1);
      for (const problem of problemsIn(response, text))
        if (problem !== undefined)
          problems.push(`${problem}: ${body.toString('latin1').slice(0, 300)} -> ${text.slice(0, 300)}`);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendOn));
  agent.destroy();

  expect(problems).toEqual([]);
  expect(statuses.get(200)).toBeGreaterThan(1_000);
  expect(gateway.process.stderr).not.toMatch(/"level":"error"|failed inside|Child died/);
  // Clients that may be asked back, and say that they are ever new programs, get children of their own up to a bound.
  const children = descendantsOf(gateway.pid);
  expect(children.length).toBeLessThan(70);
  const client = await new PlainClient(gateway).initialize();
  expect(textOf(await client.call('fake_echo'))).toContain('"tools/call"');
  measure();
  const [half, whole] = measured;
  expect((whole?.memory ?? 0) - (half?.memory ?? 0)).toBeLessThan(48);
  expect((await gateway.process.stop()).code).toBe(0);
  expect(children.filter(isRunning)).toEqual([]);
});
