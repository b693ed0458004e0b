// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration's own variables are meant
import { describe, expect, test } from 'vitest';
import { FaultError } from '../core/errors.ts';
import { describeContents, describeToolResult } from './describe-result.ts';
import { maskArgs, maskSecrets, maskUrl } from './mask-secrets.ts';
import { parseDuration } from './parse-duration.ts';
import { parseEnvPairs, parseHeaderPairs } from './parse-pair.ts';
import { parseTarget } from './parse-target.ts';
import { columnsOf, toLine, toPlainJson, toPlainText } from './plain-text.ts';
import { toTable } from './to-table.ts';

describe('a target', () => {
  test.each<[string | undefined, string[] | undefined, object | undefined]>([
    ['https://x.test/mcp', undefined, { kind: 'url', url: 'https://x.test/mcp' }],
    ['HTTP://localhost:1/a.json#b', undefined, { kind: 'url', url: 'HTTP://localhost:1/a.json#b' }],
    [undefined, ['npx', '-y', 'x'], { kind: 'command', command: 'npx', args: ['-y', 'x'] }],
    ['mcp.json', undefined, { kind: 'file', file: 'mcp.json', server: undefined }],
    ['mcp.json#a', undefined, { kind: 'file', file: 'mcp.json', server: 'a' }],
    ['mcp.json#', undefined, { kind: 'file', file: 'mcp.json', server: undefined }],
    ['./servers', undefined, { kind: 'file', file: './servers', server: undefined }],
    ['sallyport.YAML#a.b', undefined, { kind: 'file', file: 'sallyport.YAML', server: 'a.b' }],
    ['github', undefined, { kind: 'saved', name: 'github' }],
    ['my.server', undefined, { kind: 'saved', name: 'my.server' }],
    [undefined, undefined, undefined],
  ])('%s %j', (word, dashed, expected) => {
    expect(parseTarget(word, dashed)).toEqual(expected);
  });

  test('nothing after --', () => {
    expect(() => parseTarget(undefined, [])).toThrow(new FaultError('usage', 'There is no command after "--".'));
  });
});

describe('a time', () => {
  test.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['1.5m', 90_000],
    ['2h', 7_200_000],
    ['10', 10_000],
  ])('%s', (text, ms) => expect(parseDuration(text)).toBe(ms));
  test.each(['', '0', '-1s', '1d', '25h', 'Infinity', '1e3', 's'])('%j is none', (text) => {
    expect(() => parseDuration(text)).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});

describe('pairs', () => {
  test.each([
    ['Authorization: Bearer x=y:z', { Authorization: 'Bearer x=y:z' }],
    ['X-A=b', { 'X-A': 'b' }],
    ['X-A:', { 'X-A': '' }],
  ])('--header %s', (text, expected) => expect(parseHeaderPairs([text])).toEqual(expected));
  test.each(['s3cret', ': s3cret', 'A b: s3cret', 'A: s3cret\r\nB: c'])(
    '--header %j is refused without its text',
    (text) => {
      expect(() => parseHeaderPairs([text])).toThrow(
        expect.objectContaining({ code: 'usage', message: expect.not.stringContaining('s3cret') }),
      );
    },
  );
  test('--env', () => {
    expect(parseEnvPairs(['A= b=c ', 'B='])).toEqual({ A: ' b=c ', B: '' });
    expect(() => parseEnvPairs(['s3cret'])).toThrow(expect.objectContaining({ message: '--env takes NAME=value.' }));
  });
});

describe('text from strangers', () => {
  test.each([
    ['a\tb\nc\r\nd', 'a\tb\nc\nd'],
    ['\u001b]0;title\u0007', '\\u{1b}]0;title\\u{7}'],
    ['\u009b31m', '\\u{9b}31m'],
    ['a\rb', 'a\\u{d}b'],
    ['\u202Egnp.exe', '\\u{202e}gnp.exe'],
    ['天气 ok ✓', '天气 ok ✓'],
  ])('%j', (text, plain) => expect(toPlainText(text)).toBe(plain));

  test('JSON says the same, and nothing in it acts', () => {
    const json = toPlainJson({ a: '\u009b31m\u202E\u007f\n' }, 2);
    expect(json).toBe('{\n  "a": "\\u009b31m\\u202e\\u007f\\n"\n}');
    expect(JSON.parse(json)).toEqual({ a: '\u009b31m\u202E\u007f\n' });
  });

  test.each([
    ['a\n  b', 10, 'a b'],
    ['abcdef', 4, 'abc…'],
    ['天气预报', 5, '天气…'],
    ['天气', 4, '天气'],
  ])('%j in %i columns', (text, width, line) => {
    expect(toLine(text, width)).toBe(line);
    expect(columnsOf(toLine(text, width))).toBeLessThanOrEqual(width);
  });

  test('a table keeps its columns', () => {
    expect(
      toTable(
        ['a', 'b'],
        [
          ['天气', 'x'],
          ['longer\nname', 'y'.repeat(40)],
        ],
        60,
      ),
    ).toBe(['A            B', '天气         x', `longer name  ${'y'.repeat(40)}`].join('\n'));
  });

  const ID = 'ap_0123456789abcdef0123456789abcdef';
  const REASON = 'the recipient comes from a page that nobody vouches for, so a person has to look at it';
  const ROWS = [
    [ID, 'waiting for a person', REASON],
    ['ap_1', 'allowed', 'short'],
  ];
  test.each([40, 60, 80, 120])('at %i columns ids are whole, reasons are readable, and lines fit', (screen) => {
    const lines = toTable(['id', 'state', 'reason'], ROWS, screen).split('\n');
    expect(lines.every((line) => columnsOf(line) <= Math.max(screen, `${ID}  waiting`.length))).toBe(true);
    const words = lines.join(' ').split(/\s+/);
    expect(words).toContain(ID);
    expect(REASON.split(' ').every((word) => words.includes(word))).toBe(true);
    expect(lines.length).toBeLessThan(14);
  });

  test('without a terminal there is one line per row, whole', () => {
    expect(toTable(['id', 'state', 'reason'], ROWS, 0)).toBe(
      [
        `ID${' '.repeat(33)}  STATE                 REASON`,
        `${ID}  waiting for a person  ${REASON}`,
        `ap_1${' '.repeat(31)}  allowed               short`,
      ].join('\n'),
    );
  });

  test('a description is cut after the lines it may have', () => {
    const table = toTable(['tool', 'description'], [['a', 'word '.repeat(100)]], 40, { lines: 2 });
    expect(table.split('\n')).toHaveLength(3);
    expect(table).toMatch(/…$/);
  });
});

describe('secrets', () => {
  test('values of env and headers are hidden, references are not', () => {
    expect(
      maskSecrets({
        command: 'x',
        env: { A: 's3cret', B: '${B}', C: '${C:-s3cret}', D: 1 },
        headers: { Authorization: 'Bearer ${T}', X: 'Bearer s3cret' },
        timeoutMs: 5,
      }),
    ).toEqual({
      command: 'x',
      env: { A: '(hidden)', B: '${B}', C: '(hidden)', D: 1 },
      headers: { Authorization: 'Bearer ${T}', X: '(hidden)' },
      timeoutMs: 5,
    });
  });

  test.each([
    [
      ['--token', 's3cret'],
      ['--token', '(hidden)'],
    ],
    [
      ['--api-key=s3cret', '--port=80'],
      ['--api-key=(hidden)', '--port=80'],
    ],
    [
      ['-e', 'GITHUB_TOKEN=s3cret'],
      ['-e', 'GITHUB_TOKEN=(hidden)'],
    ],
    [
      ['--token', '${T}'],
      ['--token', '${T}'],
    ],
    [['ghp_0123456789abcdef'], ['(hidden)']],
    [
      ['-y', '@modelcontextprotocol/server-everything', '/home/me/2026/some-long-folder'],
      ['-y', '@modelcontextprotocol/server-everything', '/home/me/2026/some-long-folder'],
    ],
    [['https://x.test/?key=s3cret'], ['https://x.test/?key=(hidden)']],
  ])('args %j', (args, masked) => expect(maskArgs(args)).toEqual(masked));

  test.each([
    ['https://x.test/mcp', 'https://x.test/mcp'],
    ['https://x.test/mcp?a=s3cret&b', 'https://x.test/mcp?a=(hidden)&b'],
    ['https://x.test/mcp?a=${A}', 'https://x.test/mcp?a=${A}'],
    ['https://me:s3cret@x.test/', 'https://(hidden)@x.test/'],
    ['https://x.test/s/abcdefghijklmnopqrstuvwx1/mcp', 'https://x.test/s/(hidden)/mcp'],
  ])('url %s', (url, masked) => expect(maskUrl(url)).toBe(masked));
});

describe('results for people', () => {
  test.each<[object, string]>([
    [
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      'a\nb',
    ],
    [{ content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] }, '[image image/png, 3 bytes]'],
    [{ content: [{ type: 'resource_link', name: 'n', uri: 'u:1' }] }, '[link n u:1]'],
    [{ content: [{ type: 'resource', resource: { uri: 'u:1', text: 'inside' } }] }, 'inside'],
    [{ content: [{ type: 'text', text: 'a' }], structuredContent: { b: 1 } }, 'a'],
    [{ content: [], structuredContent: { b: 1 } }, '{\n  "b": 1\n}'],
    [{ content: [] }, ''],
    [{ content: [{ type: 'new', x: 1 }, null, 3] }, '{"type":"new","x":1}\n\n'],
    [{ task: { taskId: 't' } }, '{\n  "task": {\n    "taskId": "t"\n  }\n}'],
  ])('%j', (result, text) => expect(describeToolResult(result as never)).toBe(text));

  test('bytes are bytes where they are not shown', () => {
    const result = { contents: [{ uri: 'u:1', mimeType: 'x/y', blob: 'AAEC' }] };
    expect(describeContents(result, false)).toEqual(Buffer.from([0, 1, 2]));
    expect(describeContents(result, true)).toBe('[u:1 x/y, 3 bytes]');
  });
});
