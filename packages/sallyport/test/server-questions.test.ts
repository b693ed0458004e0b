import { describe, expect, test } from 'vitest';
import { messageIn } from './http-exchange.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { modernHeaders, modernParams, PlainClient } from './plain-client.ts';
import { StdioGateway, startGateway } from './running-sallyport.ts';

/** What a server asks of a person, and how: clients and servers of both eras. */

const form = (title: string, name = 'value') => ({
  message: 'Please fill in the form.',
  requestedSchema: { type: 'object', properties: { [name]: { type: 'string', title } } },
});
const page = (url: string) => ({ mode: 'url', message: 'Open this page', url, elicitationId: 'e1' });

const REFUSED: readonly [string, object][] = [
  ['a password', form('Your password')],
  ['a key, by the name of the field', form('Value', 'apiKey')],
  ['a card number, in Chinese', form('银行卡号')],
  ['a one-time code, in Chinese', form('短信验证码')],
  ['a script for a page', page('javascript:alert(1)')],
  ['a page of another host than it seems', page('https://bank.example@evil.example/')],
];
const PUT: readonly [string, object][] = [
  ['a colour', form('Colour')],
  ['a date, in Chinese', form('日期')],
  ['a page', page('https://login.example/authorize')],
];

const LEGACY = {
  command: process.execPath,
  args: [new URL('fixtures/upstream-asking.mjs', import.meta.url).pathname],
};
/** Asks what its arguments say. */
async function startModern() {
  const { url } = await startHttpUpstream({
    modern: true,
    tools: ['ask'],
    behave(message, response) {
      if (message.method !== 'tools/call') return false;
      const params = message.params as Record<string, unknown>;
      const answers = params['inputResponses'];
      const inputRequests = { q: { method: 'elicitation/create', params: params['arguments'] } };
      const result =
        answers === undefined
          ? { resultType: 'input_required', inputRequests, requestState: 's' }
          : { resultType: 'complete', content: [{ type: 'text', text: JSON.stringify(answers) }] };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
      return true;
    },
  });
  return { url };
}

const CAPABLE = { elicitation: { form: {}, url: {} } };

/** Asks through a legacy client: whether it was asked, and what the call came to. */
async function throughLegacy(server: object): Promise<(params: object) => Promise<{ asked: boolean; answer: string }>> {
  const gateway = new StdioGateway({ mcpServers: { a: server } } as never);
  const say = (message: object) => gateway.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const clientInfo = { name: 't', version: '1' };
  say({
    id: 'init',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: CAPABLE, clientInfo },
  });
  await gateway.line('"id":"init"');
  say({ method: 'notifications/initialized' });
  let last = 0;
  let seen = 0;
  return async (params) => {
    const id = `call-${++last}`;
    say({ id, method: 'tools/call', params: { name: 'a_ask', arguments: params } });
    const isQuestion = (line: string) => line.includes('"method":"elicitation/create"');
    const asked = await gateway.process.until(() => {
      const questions = gateway.lines.filter(isQuestion);
      if (questions.length > seen) return { question: questions.at(-1) };
      return gateway.lines.some((line) => line.includes(`"id":"${id}"`)) ? { question: undefined } : undefined;
    });
    if (asked.question !== undefined) {
      seen++;
      say({ id: (JSON.parse(asked.question) as { id: unknown }).id, result: { action: 'cancel' } });
    }
    return { asked: asked.question !== undefined, answer: await gateway.line(`"id":"${id}"`) };
  };
}

async function throughModern(server: object): Promise<(params: object) => Promise<{ asked: boolean; answer: string }>> {
  const client = new PlainClient(await startGateway({ mcpServers: { a: server } } as never));
  return async (given) => {
    const params = { name: 'a_ask', arguments: given };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: modernParams(params as never, CAPABLE) };
    const message = messageIn(await client.post(JSON.stringify(body), modernHeaders('tools/call', params as never)));
    return { asked: message.result?.['resultType'] === 'input_required', answer: JSON.stringify(message) };
  };
}

describe.each([
  ['legacy', throughLegacy],
  ['modern', throughModern],
] as const)('a %s client', (_, through) => {
  test.each([
    ['legacy', async () => LEGACY],
    ['modern', startModern],
  ] as const)('is not asked by a %s server for what nobody should be asked for', async (_era, open) => {
    const ask = await through(await open());
    for (const [what, params] of REFUSED) {
      const { asked, answer } = await ask(params);
      expect(asked, what).toBe(false);
      expect(answer, what).toMatch(/does not put (?:such a form|it) to a person/);
    }
    for (const [what, params] of PUT) expect((await ask(params)).asked, what).toBe(true);
  });
});
