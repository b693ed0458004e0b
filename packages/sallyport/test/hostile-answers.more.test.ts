import { expect, it } from 'vitest';
import { messagesIn } from './http-exchange.ts';
import { type Incoming, startHttpUpstream } from './http-upstream.ts';
import { problemWith } from './json-rpc-shape.ts';
import { FixedRandom, mutate, toSeed } from './message-mutator.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { memoryOf } from './process-table.ts';
import { misbehaving, startGateway } from './running-sallyport.ts';

const CALLS = 5_000;
/** Answered before memory is looked at: a heap finds its size under load, and that is no growth. */
const WARM = 2_000;
const AT_ONCE = 16;

const answer = (rest: string) => toSeed(`{"jsonrpc":"2.0","id":1,${rest}}`);
/** What servers send: answers of all kinds, questions, notifications. */
const SEEDS = [
  answer(
    '"result":{"content":[{"type":"text","text":"héllo"}],"structuredContent":{"a":[1,2.5,null]},"isError":false}',
  ),
  answer(
    '"result":{"content":[{"type":"resource_link","uri":"test://x","name":"x"},{"type":"resource","resource":{"uri":"test://y","text":"1"}}]}',
  ),
  answer(
    '"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"?"}}},"requestState":"s"}',
  ),
  answer('"result":{"task":{"taskId":"t1","status":"working"},"content":[]}'),
  answer('"result":{"_meta":{"a":{"b":[]}},"content":[]}'),
  answer('"error":{"code":-32602,"message":"wrong","data":{"a":1}}'),
  // Large ones take another path: they are read as far as their frame, and many small members stand in them.
  answer(`"result":{"content":[{"type":"text","text":"large"}],"list":[${'{"a":[1,"b",null]},'.repeat(600)}0]}`),
  answer(`"result":{"structuredContent":{"list":[${'"\\u00e9\\n",'.repeat(1_000)}0]},"content":[]}`),
  // Codes the protocol uses for refusals, given by a server to an error of its own: nothing was refused.
  answer('"error":{"code":-32022,"message":"sold out","data":{"left":0}}'),
  answer('"error":{"code":-32020,"message":"too late"}'),
];
const BESIDE = [
  '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5,"total":1,"message":"half"}}',
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"a":1}}}',
  '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
  '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://x"}}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
  '{"jsonrpc":"2.0","id":"q1","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}',
  '{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object"}}}',
  '{"jsonrpc":"2.0","id":8,"method":"roots/list"}',
  '{"jsonrpc":"2.0","id":9,"method":"ping"}',
].map(toSeed);

it('thousands of mutated answers of a server reach clients as JSON-RPC or not at all, and break nothing', async () => {
  const random = new FixedRandom(0x5a11_0919);
  const server = await startHttpUpstream({
    tools: ['mutated', 'echo'],
    behave: ({ id, method, params }: Incoming, response) => {
      if (method !== 'tools/call' || params?.name !== 'mutated') return false;
      const whole = mutate(random, random.pick(SEEDS), Number(id));
      if (random.below(3) === 0) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(whole);
        return true;
      }
      const beside = Array.from({ length: random.below(4) }, () =>
        mutate(random, random.pick(BESIDE), random.below(20)),
      );
      const events = [...beside, whole].flatMap((bytes) => [
        Buffer.from('event: message\ndata: '),
        bytes,
        Buffer.from('\n\n'),
      ]);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(Buffer.concat(events));
      return true;
    },
  });
  const settings = { url: server.url, timeoutMs: 5_000, listTtlMs: 3_600_000 };
  const gateway = await startGateway({ mcpServers: { odd: settings, good: misbehaving({ tools: ['echo'] }) } }, [
    '--log-level',
    'error',
    '--no-call-log',
  ]);
  const legacy = await new PlainClient(gateway).initialize();
  const modern = new PlainClient(gateway);
  expect(textOf(await legacy.call('odd_echo'))).toBe('echo done');
  const problems: string[] = [];
  let answered = 0;
  let right = 0;
  async function callUntil(last: number): Promise<void> {
    while (answered < last) {
      const index = answered++;
      const params = { name: 'odd_mutated', arguments: {} };
      const reply =
        index % 2 === 0 ? await legacy.ask('tools/call', params) : await modern.askModern('tools/call', params);
      const messages = messagesIn(reply).map((text) => Buffer.from(text, 'latin1').toString('utf8'));
      if (messages.length === 0) problems.push(`HTTP ${reply.status} with nothing`);
      for (const message of messages) {
        const problem = problemWith(message);
        if (problem !== undefined) problems.push(`${problem}: ${message.slice(0, 300)}`);
        if (message.includes('failed inside')) problems.push(message);
      }
      if (messages.at(-1)?.includes('"result"')) right++;
    }
  }
  const callAll = (last: number) => Promise.all(Array.from({ length: AT_ONCE }, () => callUntil(last)));
  await callAll(WARM);
  const before = memoryOf(gateway.pid).now;
  await callAll(CALLS);
  expect(problems).toEqual([]);
  expect(right).toBeGreaterThan(CALLS / 20);
  // Not one call was repeated, whatever its answer looked like.
  expect(server.calls.get('mutated')).toBe(answered);
  expect(textOf(await legacy.call('good_echo'))).toContain('"tools/call"');
  expect(textOf(await legacy.call('odd_echo'))).toBe('echo done');
  expect(gateway.process.stderr).not.toContain('"level":"error"');
  expect(memoryOf(gateway.pid).now - before).toBeLessThan(64);
});
