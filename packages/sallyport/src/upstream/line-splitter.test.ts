import { describe, expect, it } from 'vitest';
import { LineSplitter } from './line-splitter.ts';

function split(chunks: readonly string[], maxLine = 1000): { lines: string[]; rest: string; ok: boolean } {
  const lines: string[] = [];
  const splitter = new LineSplitter(maxLine, (line) => lines.push(line.toString('latin1')));
  const ok = chunks.every((chunk) => splitter.push(Buffer.from(chunk, 'latin1')));
  return { lines, rest: splitter.unfinished.toString('latin1'), ok };
}

describe('LineSplitter', () => {
  const table: [name: string, chunks: string[], lines: string[], rest: string][] = [
    ['one line', ['a\n'], ['a'], ''],
    ['several lines in a chunk', ['a\nbc\n\nd\n'], ['a', 'bc', '', 'd'], ''],
    ['a line over two chunks', ['ab', 'cd\n'], ['abcd'], ''],
    ['a line over many chunks', [...'abcdefghij', '\n'], ['abcdefghij'], ''],
    ['the newline alone', ['ab', '\n', 'c\n'], ['ab', 'c'], ''],
    ['CRLF', ['a\r\nb\r\n'], ['a', 'b'], ''],
    ['CRLF over two chunks', ['a\r', '\nb\n'], ['a', 'b'], ''],
    ['a carriage return inside', ['a\rb\n'], ['a\rb'], ''],
    ['bytes that are no UTF-8', ['\xff\xfe', '\x80\n'], ['\xff\xfe\x80'], ''],
    ['an unfinished end', ['a\nb', 'c'], ['a'], 'bc'],
    ['an empty chunk', ['', 'a', '', '\n'], ['a'], ''],
  ];
  it.each(table)('%s', (_, chunks, lines, rest) => {
    expect(split(chunks)).toEqual({ lines, rest, ok: true });
  });

  it('gives the same lines wherever a stream is cut', () => {
    const stream = '{"a":1}\r\n{"b":"ä€"}\n\n[{"c":2}]\nrest';
    const whole = split([stream]);
    for (let i = 0; i <= stream.length; i++) {
      for (let j = i; j <= stream.length; j++) {
        expect(split([stream.slice(0, i), stream.slice(i, j), stream.slice(j)])).toEqual(whole);
      }
    }
  });

  it('hands out views of the chunk a line is complete in', () => {
    const chunk = Buffer.from('first\nsecond\n');
    const lines: Buffer[] = [];
    new LineSplitter(1000, (line) => lines.push(line)).push(chunk);
    expect(lines.map((line) => line.buffer === chunk.buffer)).toEqual([true, true]);
  });

  it('copies a 4 MiB line from small chunks a few times, not once per chunk', () => {
    const piece = Buffer.alloc(64, 0x61);
    const lines: Buffer[] = [];
    const splitter = new LineSplitter(16 * 1024 * 1024, (line) => lines.push(line));
    for (let i = 0; i < 65_536; i++) splitter.push(piece);
    splitter.push(Buffer.from('\n'));
    expect(lines[0]?.length).toBe(4 * 1024 * 1024);
  });

  it.each([
    ['finished in one chunk', ['aaaaaa\n']],
    ['unfinished in one chunk', ['aaaaaa']],
    ['grown over chunks', ['aaa', 'aaa']],
    ['finished over chunks', ['aaa', 'aaa\n']],
  ])('refuses a line longer than allowed: %s', (_, chunks) => {
    expect(split(chunks, 5).ok).toBe(false);
    expect(split(chunks, 6).ok).toBe(true);
  });

  it('cuts nothing after it was stopped, not even the rest of a chunk in work', () => {
    const lines: string[] = [];
    const splitter = new LineSplitter(1000, (line) => {
      lines.push(line.toString());
      splitter.stop();
    });
    expect(splitter.push(Buffer.from('a\nb\nc'))).toBe(true);
    expect(splitter.push(Buffer.from('d\n'))).toBe(true);
    expect(lines).toEqual(['a']);
  });
});
