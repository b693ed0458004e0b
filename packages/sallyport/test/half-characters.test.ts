import { beforeAll, describe, expect, it } from 'vitest';
import { PlainClient, textOf } from './plain-client.ts';
import { misbehaving, type RunningGateway, startGateway } from './running-sallyport.ts';

const HALF = '"x\\ud83d"';

let gateway: RunningGateway;
let client: PlainClient;

beforeAll(async () => {
  gateway = await startGateway({
    mcpServers: { one: misbehaving({ tools: ['echo'], prompts: ['ask'], resources: ['demo://a'] }) },
    policy: { set: 'team' },
    pins: { mode: 'laptop' },
  } as never);
  client = await new PlainClient(gateway).initialize();
});

/** JSON text as it is: JSON.stringify and UTF-8 would write another. */
const send = async (method: string, params: string) => {
  const body = `{"jsonrpc":"2.0","id":"half","method":"${method}","params":${params}}`;
  const answer = await client.post(body, client.session);
  expect(answer.status).toBe(200);
  return answer.body;
};

describe('half of a surrogate pair', () => {
  it('in an argument is refused, with what is wrong, and the tool is served on', async () => {
    const body = await send('tools/call', `{"name":"one_echo","arguments":{"text":${HALF}}}`);
    expect(body).toContain('half of a character');
    expect(textOf(await client.call('one_echo', { text: '😀' }))).toContain('tools/call');
  });

  it.each([
    ['a name of an argument', 'tools/call', `{"name":"one_echo","arguments":{${HALF}:1}}`],
    ['the name of a tool', 'tools/call', `{"name":${HALF},"arguments":{}}`],
    ['an argument of a prompt', 'prompts/get', `{"name":"one_ask","arguments":{"a":${HALF}}}`],
    ['a URI', 'resources/read', `{"uri":"demo://x\\ud83d"}`],
    [
      'what is completed',
      'completion/complete',
      `{"ref":{"type":"ref/prompt","name":"one_ask"},"argument":{"name":"a","value":${HALF}}}`,
    ],
    ['metadata', 'tools/call', `{"name":"one_echo","arguments":{},"_meta":{"a":${HALF}}}`],
  ])('in %s is answered', async (_, method, params) => {
    expect(JSON.parse(await send(method, params))).toMatchObject({ id: 'half' });
  });

  it('leaves no error in the log', () => {
    expect(gateway.process.stderr).not.toMatch(/"level":"?(?:error|50)|\bat .*\.js:\d+/);
  });
});
