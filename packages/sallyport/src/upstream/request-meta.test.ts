import { describe, expect, it } from 'vitest';
import { parseMessage, type Request } from '../core/message.ts';
import { setMeta, settleEdits, withoutParams } from './request-meta.ts';

const request = (params: string): Request =>
  parseMessage(
    Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"m"${params === '' ? '' : `,"params":${params}`}}`),
  ) as Request;
const written = (params: string, changes: [string, string | undefined][]) => {
  const subject = request(params);
  return subject.write('1', [setMeta(subject, new Map(changes))]);
};
const around = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"m","params":${params}}`;

describe('setMeta', () => {
  it.each<[string, [string, string | undefined][], string]>([
    ['', [['t', '7']], '{"_meta":{"t":7}}'],
    ['{}', [['t', '7']], '{"_meta":{"t":7}}'],
    ['{"a":1.0}', [['t', '7']], '{"_meta":{"t":7},"a":1.0}'],
    ['{"_meta":{}}', [['t', '7']], '{"_meta":{"t":7}}'],
    ['{"_meta":{"t":1}}', [['t', '7']], '{"_meta":{"t":7}}'],
    [
      '{"_meta":{"x":9007199254740993, "y" : [1e400,{"z":1.0}]}}',
      [['t', '7']],
      '{"_meta":{"x":9007199254740993,"y":[1e400,{"z":1.0}],"t":7}}',
    ],
    ['{"_meta":{"x":1,"y":2}}', [['x', undefined]], '{"_meta":{"y":2}}'],
    ['{"_meta":{"x":1}}', [['x', undefined]], '{"_meta":{}}'],
    ['{"_meta":{"é":"ü"}}', [['t', '"世"']], '{"_meta":{"é":"ü","t":"世"}}'],
    ['{"_meta":{"\\u0074":1}}', [['t', '7']], '{"_meta":{"t":7}}'],
    ['{"_meta":null}', [['t', '7']], '{"_meta":{"t":7}}'],
    ['{"_meta":{"__proto__":{"a":1}}}', [['t', '7']], '{"_meta":{"__proto__":{"a":1},"t":7}}'],
  ])('changes %s by %j', (params, changes, expected) => {
    expect(Buffer.from(written(params, changes), 'latin1').toString('utf8')).toBe(around(expected));
  });
});

describe('withoutParams', () => {
  it('takes members out and leaves the rest byte for byte', () => {
    const subject = request('{"name":"x","inputResponses":{"a":[1,2]},"n":1.0,"requestState":"s"}');
    expect(withoutParams(subject, [], new Set(['inputResponses', 'requestState'])).bytes.toString()).toBe(
      around('{"name":"x","n":1.0}'),
    );
  });

  it('applies the edits first', () => {
    const subject = request('{"name":"pre_x","requestState":"s"}');
    expect(withoutParams(subject, [subject.setParam('name', '"x"')], new Set(['requestState'])).bytes.toString()).toBe(
      around('{"name":"x"}'),
    );
  });
});

describe('settleEdits', () => {
  const rest = { target: undefined, paramHeaders: undefined };

  it('leaves replacements as they are', () => {
    const subject = request('{"name":"pre_x"}');
    const edits = [subject.setParam('name', '"x"')];
    expect(settleEdits({ request: subject, edits, ...rest })).toEqual({ request: subject, edits });
  });

  it('applies insertions, so that one of ours cannot stand in the same place', () => {
    const subject = request('{}');
    const settled = settleEdits({ request: subject, edits: [subject.setParam('cursor', '"c"')], ...rest });
    expect(settled.edits).toEqual([]);
    expect(settled.request.write('2', [settled.request.setParam('_meta', '{}')])).toBe(
      '{"jsonrpc":"2.0","id":2,"method":"m","params":{"_meta":{},"cursor":"c"}}',
    );
  });
});
