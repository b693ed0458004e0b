import { describe, expect, test } from 'vitest';
import { FaultError } from './errors.ts';
import { fromBinary } from './json-scan.ts';
import { Answer, type Notification, parseBatch, parseMessage, Request } from './message.ts';
import { TextResult, toText, type Written } from './response.ts';

/** What a client reads. */
const asRead = (message: Written) => fromBinary(toText(message));
const STRICT = { maxDepth: 64, uniqueKeys: true };
const parse = (text: string | Buffer) => parseMessage(Buffer.from(text), STRICT);
const fault = (text: string | Buffer) => {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof FaultError) return [error.code, error.message];
    throw error;
  }
  return 'accepted';
};

describe('ids come back byte for byte', () => {
  test.each([
    '1',
    '1.0',
    '-0',
    '9007199254740993',
    '1e400',
    '"a"',
    '""',
    '"\\u0061"',
    '"ключ"',
    `"${'x'.repeat(1_000_000)}"`,
  ])('%.30s', (id) => {
    const message = parse(`{"jsonrpc":"2.0","method":"ping","id":${id}}`);
    expect(message).toBeInstanceOf(Request);
    const back = Answer.result((message as Request).id, {}).write((message as Request).id);
    expect(asRead(back)).toBe(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
  });
});

describe('what is no message is refused with its reason', () => {
  const rows: [string, string | Buffer, string, RegExp][] = [
    ['nothing', '', 'parse', /not JSON/],
    ['half a message', '{"jsonrpc":"2.0"', 'parse', /not JSON/],
    ['bad UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'parse', /UTF-8/],
    ['byte order mark', '\ufeff{}', 'parse', /byte order mark/],
    ['an array', '[]', 'invalid_request', /object/],
    ['no version', '{"id":1,"method":"ping"}', 'invalid_request', /"jsonrpc": "2.0"/],
    ['null id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', 'invalid_request', /id/],
    ['object id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 'invalid_request', /id/],
    ['method no string', '{"jsonrpc":"2.0","id":1,"method":7}', 'invalid_request', /method/],
    ['params an array', '{"jsonrpc":"2.0","id":1,"method":"a","params":[1]}', 'invalid_request', /params/],
    ['neither method nor result', '{"jsonrpc":"2.0","id":1}', 'invalid_request', /method, or a result/],
    [
      'result and error',
      '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}',
      'invalid_request',
      /result, or an error/,
    ],
    ['the same key twice', '{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}', 'invalid_request', /twice/],
    [
      'the same key twice, escaped, deep',
      '{"jsonrpc":"2.0","id":1,"method":"a","params":{"arguments":{"p":1,"\\u0070":2}}}',
      'invalid_request',
      /twice/,
    ],
    [
      'too deep',
      `{"jsonrpc":"2.0","id":1,"method":"a","params":{"a":${'['.repeat(80)}${']'.repeat(80)}}}`,
      'invalid_request',
      /deeper than 64/,
    ],
    // Go's encoding/json, and others, compare names without their case, and the last one counts.
    ...[
      '{"jsonrpc":"2.0","id":1,"method":"a","Method":"tools/call"}',
      '{"jsonrpc":"2.0","method":"notifications/x","ID":1}',
      '{"jsonrpc":"2.0","id":1,"method":"a","params":{"name":"safe","Name":"dangerous"}}',
      '{"jsonrpc":"2.0","id":1,"method":"a","params":{"name":"safe","ARGUMENTS":{}}}',
      '{"jsonrpc":"2.0","id":1,"method":"a","params":{"name":"safe","argument\u017f":{}}}',
      '{"jsonrpc":"2.0","id":1,"method":"a","params":{"na\u200bme":"dangerous"}}',
      '{"jsonrpc":"2.0","id":1,"method":"a","params":{"ref":{"type":"ref/prompt","name":"a","NAME":"b"}}}',
    ].map((text): [string, string, string, RegExp] => [text, text, 'invalid_request', /for another one/]),
    ['a million brackets', '['.repeat(1_000_000), 'invalid_request', /deeper than 64/],
  ];
  test.each(rows)('%s', (_name, text, code, message) => {
    expect(fault(text)).toEqual([code, expect.stringMatching(message)]);
  });
});

test('other members may be called as they like, and whoever answers is not asked', () => {
  const given =
    '{"jsonrpc":"2.0","id":1,"method":"a","params":{"Title":1,"title":2,"arguments":{"Name":1,"name":2}},"x":1}';
  expect(parse(given)).toBeInstanceOf(Request);
  expect(parseMessage(Buffer.from('{"jsonrpc":"2.0","id":1,"result":{},"Result":1}'))).toBeInstanceOf(Answer);
});

test('a method named constructor and a __proto__ member are data like any other', () => {
  const message = parse(
    '{"jsonrpc":"2.0","id":1,"method":"constructor","params":{"__proto__":{"admin":true}}}',
  ) as Request;
  expect(message.method).toBe('constructor');
  expect((message.params as Record<string, unknown>)['admin']).toBeUndefined();
  expect(message.param('__proto__')).toBeDefined();
  expect(message.param('toString')).toBeUndefined();
});

test('members are set in place, inserted into what is there, or brought along', () => {
  const at = (text: string) => parse(text) as Request;
  const full = at('{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":"a","_meta":{"x":1.0}},"extra":9}');
  expect(full.write('7', [full.setParam('name', '"b"'), full.setInParam('_meta', 'progressToken', '7')])).toBe(
    '{"jsonrpc":"2.0","id":7,"method":"m","params":{"name":"b","_meta":{"progressToken":7,"x":1.0}},"extra":9}',
  );
  const bare = at('{"jsonrpc":"2.0","id":1,"method":"m"}');
  expect(bare.write('7', [bare.setInParam('_meta', 'progressToken', '7')])).toBe(
    '{"jsonrpc":"2.0","id":7,"method":"m","params":{"_meta":{"progressToken":7}}}',
  );
  const empty = at('{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{}}}');
  expect(empty.write('7', [empty.setInParam('_meta', 'a', '1')])).toBe(
    '{"jsonrpc":"2.0","id":7,"method":"m","params":{"_meta":{"a":1}}}',
  );
  const none = at('{"jsonrpc":"2.0","id":1,"method":"m","params":{}}');
  expect(none.write('7', [none.setParam('a', '"é"')])).toBe(
    '{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":"\u00c3\u00a9"}}',
  );
  const others = at('{"jsonrpc":"2.0","id":1,"method":"m","params":{"b":2}}');
  expect(others.write('7', [others.setParam('a', '1')])).toBe(
    '{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1,"b":2}}',
  );
});

test('answers keep unknown members, take members of ours first, and are edited in place', () => {
  const answer = parse('{"result":{"content":[],"n":1.0},"x":1,"jsonrpc":"2.0","id":5}') as Answer;
  expect(asRead(answer.write('"a"'))).toBe('{"result":{"content":[],"n":1.0},"x":1,"jsonrpc":"2.0","id":"a"}');
  expect(asRead(answer.write('1', '"resultType":"complete"'))).toBe(
    '{"result":{"resultType":"complete","content":[],"n":1.0},"x":1,"jsonrpc":"2.0","id":1}',
  );
  expect(asRead(Answer.result('1', {}).write('1', '"a":1'))).toBe('{"jsonrpc":"2.0","id":1,"result":{"a":1}}');
  expect(asRead(answer.withResult({ a: 'ü' }).write('1'))).toBe('{"result":{"a":"ü"},"x":1,"jsonrpc":"2.0","id":1}');
  const error = parse(
    '{"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"no","data":{"k":[1]},"more":true}}',
  ) as Answer;
  expect(error.errorCode).toBe(-1);
  expect(asRead(error.write('2', '"ignored":1'))).toBe(
    '{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no","data":{"k":[1]},"more":true}}',
  );
  const anonymous = parse('{"jsonrpc":"2.0","error":{"code":-1,"message":"no"}}') as Answer;
  expect(asRead(anonymous.write('2'))).toBe('{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no"}}');
});

test('a text result is written as it is', () => {
  expect(asRead(new TextResult('"tools":[]', undefined).write('1'))).toBe(
    '{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}',
  );
  expect(asRead(new TextResult('"tools":["é"]', undefined).write('"\u00c3\u00a9"', '"ttlMs":0'))).toBe(
    '{"jsonrpc":"2.0","id":"é","result":{"ttlMs":0,"tools":["é"]}}',
  );
});

test('a large answer is written in pieces that are not copied', () => {
  const text = 'é'.repeat(20_000);
  for (const [before, after] of [
    ['"id":5,', ''],
    ['', ',"id":5'],
  ]) {
    const bytes = Buffer.from(`{${before}"jsonrpc":"2.0","result":{"a":"${text}"}${after}}`);
    const pieces = (parse(bytes) as Answer).write('"x"', '"resultType":"complete"');
    expect(asRead(pieces)).toBe(
      `{${before?.replace('5', '"x"')}"jsonrpc":"2.0","result":{"resultType":"complete","a":"${text}"}${after?.replace('5', '"x"')}}`,
    );
    expect((pieces as Buffer[]).some((piece) => piece.length > 40_000)).toBe(true);
  }
});

test('a batch is read message by message; one bad one does not spoil the others', () => {
  const batch = parseBatch(
    Buffer.from(' [{"jsonrpc":"2.0","id":1,"method":"a"},7,{"jsonrpc":"2.0","method":"n"}]'),
    STRICT,
  );
  expect(batch?.map((one) => (one instanceof FaultError ? one.code : one.kind))).toEqual([
    'request',
    'invalid_request',
    'notification',
  ]);
  expect((batch![0] as Request).write('9')).toBe('{"jsonrpc":"2.0","id":9,"method":"a"}');
  expect(parseBatch(Buffer.from('{}'), STRICT)).toBeUndefined();
  expect((batch![2] as Notification).write()).toBe('{"jsonrpc":"2.0","method":"n"}');
});

test.each([
  ['{"code":-1}', '{"code":-1,"message":"The server gave no reason."}'],
  ['{"code":-1,"message":{"a":1},"data":"д"}', '{"code":-1,"message":"The server gave no reason.","data":"д"}'],
  ['{"code":-1.5,"message":"no","more":1}', '{"code":-1,"message":"no","more":1}'],
  ['{"code":1e400,"message":"no"}', '{"code":-32603,"message":"no"}'],
])('an error that strict clients would drop is made whole: %s', (written, whole) => {
  const answer = parse(`{"jsonrpc":"2.0","id":9007199254740993,"error":${written}}`) as Answer;
  expect(answer.id).toBe('9007199254740993');
  expect(asRead(answer.write('"x"'))).toBe(`{"jsonrpc":"2.0","id":"x","error":${whole}}`);
  const anonymous = parse(`{"jsonrpc":"2.0","error":${written}}`) as Answer;
  expect(asRead(anonymous.write('2'))).toBe(`{"jsonrpc":"2.0","id":2,"error":${whole}}`);
});
