import { describe, expect, it } from 'vitest';
import { SseParser } from './sse-parser.ts';

interface Heard {
  readonly events: { readonly type: string; readonly data: string }[];
  readonly positions: string[];
  readonly pauses: number[];
}

function parse(chunks: readonly (string | Buffer)[], maxBytes?: number): Heard & { readonly fits: boolean } {
  const heard: Heard = { events: [], positions: [], pauses: [] };
  const parser = new SseParser(
    {
      event: ({ type, data }) => void heard.events.push({ type, data: data.toString('utf8') }),
      position: (id) => void heard.positions.push(id),
      retry: (milliseconds) => void heard.pauses.push(milliseconds),
    },
    maxBytes,
  );
  const fits = chunks.every((chunk) => parser.push(Buffer.from(chunk as string)));
  return { ...heard, fits };
}

const message = (data: string) => ({ type: 'message', data });

describe('SseParser', () => {
  it.each([
    ['one event', 'data: {"a":1}\n\n', [message('{"a":1}')]],
    ['no space after the colon', 'data:{"a":1}\n\n', [message('{"a":1}')]],
    ['only one space is taken', 'data:  x\n\n', [message(' x')]],
    ['CRLF', 'data: x\r\n\r\ndata: y\r\n\r\n', [message('x'), message('y')]],
    ['CR alone', 'data: x\r\rdata: y\r\r', [message('x'), message('y')]],
    ['mixed line ends', 'data: x\r\ndata: y\n\rdata: z\r\n\n', [message('x\ny'), message('z')]],
    ['several lines', 'data: {\ndata: "a":1}\n\n', [message('{\n"a":1}')]],
    ['named', 'event: endpoint\ndata: /m?s=1\n\n', [{ type: 'endpoint', data: '/m?s=1' }]],
    ['the name lasts one event', 'event: a\ndata: 1\n\ndata: 2\n\n', [{ type: 'a', data: '1' }, message('2')]],
    ['comments', ': keep alive\n\n:\ndata: x\n\n', [message('x')]],
    ['unknown fields', 'foo: bar\nbaz\ndata: x\n\n', [message('x')]],
    ['a priming event is no message', 'id: 1\ndata:\n\ndata: x\n\n', [message('x')]],
    ['no event without a blank line', 'data: x\n', []],
    ['a byte order mark', '\ufeffdata: x\n\n', [message('x')]],
    ['text of the world', 'data: "你好 🚪"\n\n', [message('"你好 🚪"')]],
    ['no data, no event', 'event: a\n\ndata: x\n\n', [message('x')]],
  ])('reads %s', (_name, text, events) => {
    expect(parse([text]).events).toEqual(events);
    const bytes = Buffer.from(text);
    for (let size = 1; size <= 3; size++) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(parse(chunks).events, `in chunks of ${size}`).toEqual(events);
    }
  });

  it('gives up on an event of empty lines without end', () => {
    expect(parse(['data\n'.repeat(1000)], 10_000).fits).toBe(false);
    expect(parse(['data: x\n\n'.repeat(1000)], 10_000).fits).toBe(true);
  });

  it('moves the position only with a whole event', () => {
    expect(parse(['id: 1\ndata: x\n\nid: 2\ndata: y']).positions).toEqual(['1']);
    expect(parse(['id: 1\n', 'data: x\n', '\n', 'id: 2\n\n', 'id: 3\ndata: z\n\n']).positions).toEqual(['1', '2', '3']);
    expect(parse(['id: a\0b\ndata: x\n\n']).positions).toEqual([]);
  });

  it('tells the pause the server asks for, and ignores what is no number', () => {
    expect(parse(['retry: 500\n\nretry: soon\nretry: -1\nretry: 99999999999\n\n']).pauses).toEqual([500]);
  });

  it('stops at an event that grows beyond the bound, in one line or in many', () => {
    expect(parse(['data: ', 'x'.repeat(60), 'x'.repeat(60)], 100).fits).toBe(false);
    expect(parse([`data: ${'x'.repeat(60)}\n`, `data: ${'x'.repeat(60)}\n`], 100).fits).toBe(false);
    expect(
      parse(
        Array.from({ length: 50 }, () => `data: ${'x'.repeat(60)}\n\n`),
        100,
      ).fits,
    ).toBe(true);
  });

  it('hands an event that came in one chunk on without a copy', () => {
    const chunk = Buffer.from('data: {"a":1}\n\n');
    let heard: Buffer | undefined;
    new SseParser({ event: ({ data }) => (heard = data), position() {}, retry() {} }).push(chunk);
    expect(heard?.buffer).toBe(chunk.buffer);
    expect(heard?.byteOffset).toBe(chunk.byteOffset + 6);
  });
});
