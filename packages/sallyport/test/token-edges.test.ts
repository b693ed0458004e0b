import { beforeAll, expect, it } from 'vitest';
import { messagesIn } from './http-exchange.ts';
import { modernHeaders, modernParams, PlainClient, textOf } from './plain-client.ts';
import { misbehaving, type RunningGateway, startGateway } from './running-sallyport.ts';

let gateway: RunningGateway;

/** Names every object has without having them: a check by plain property access finds them everywhere. */
const INHERITED = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];

beforeAll(async () => {
  const wanting = { type: 'object', required: INHERITED.slice(0, 4) };
  const offering = {
    type: 'object',
    properties: Object.fromEntries(INHERITED.slice(0, 4).map((name) => [name, { type: 'string' }])),
    additionalProperties: false,
  };
  gateway = await startGateway({
    mcpServers: {
      bad: misbehaving({ tools: ['progress', 'hang'] }),
      wanting: misbehaving({ tools: ['echo'], schema: wanting }),
      offering: misbehaving({ tools: ['echo'], schema: offering }),
    },
  });
});

const TOKENS = [
  '1',
  '0',
  '9007199254740993',
  '-9007199254740993',
  '1.0',
  '-0',
  '1e400',
  '""',
  '"1"',
  '"a\\/b"',
  '"\\ud800"',
  '"__proto__"',
];

it.each(TOKENS)('the progress token %s comes back byte for byte, in both eras', async (token) => {
  const legacy = await new PlainClient(gateway).initialize();
  const call = (params: object) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${JSON.stringify(params)}}`.replace('"TOKEN"', token);
  const params = { name: 'bad_progress', arguments: {}, _meta: { progressToken: 'TOKEN' } };
  const answers = [
    await legacy.post(call(params), legacy.session),
    await legacy.post(call(modernParams(params)), modernHeaders('tools/call', params)),
  ];
  for (const answer of answers) {
    const [progress, result] = messagesIn(answer);
    expect(progress).toMatch(/"method":"notifications\/progress"/);
    expect(/"progressToken":(.*?),"progress"/.exec(progress ?? '')?.[1]).toBe(token);
    expect(result).toContain('"done"');
  }
});

it.each(['9007199254740993', '1.0', '"a\\/b"'])(
  'a request with the id %s is cancelled by these bytes and by no others',
  async (id) => {
    const client = await new PlainClient(gateway).initialize();
    const hanging = client.post(
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"bad_hang"}}`,
      client.session,
    );
    const cancel = (which: string) =>
      client.post(
        `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${which}}}`,
        client.session,
      );
    // The same request again is refused as long as the first one is in flight.
    const again = () => client.post(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`, client.session);
    for (const other of ['9007199254740992', '1', '"a/b"', 'null', '{}', '[]', '"__proto__"']) {
      expect((await cancel(other)).status).toBe(202);
    }
    expect((await again()).body).toContain('A request with this id is in flight.');
    expect((await cancel(id)).status).toBe(202);
    // A cancelled request gets no answer; only its exchange ends (2025-11-25 cancellation).
    expect(messagesIn(await hanging)).toEqual([]);
    expect((await again()).body).toContain('"result":{}');
  },
);

it('an argument that only every object has is missing', async () => {
  const client = await new PlainClient(gateway).initialize();
  const { result } = await client.call('wanting_echo', {});
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/constructor/) }] });
  const given = { constructor: 1, toString: 1, valueOf: 1, hasOwnProperty: 1 };
  expect(textOf(await client.call('wanting_echo', given))).toContain('"constructor":1');
});

it('an optional argument is not taken for given because every object has one of that name', async () => {
  const client = await new PlainClient(gateway).initialize();
  expect(textOf(await client.call('offering_echo', {}))).toContain('"tools/call"');
  const { result } = await client.call('offering_echo', { valueOf: 7 });
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/valueOf/) }] });
});
