import { describe, expect, test } from 'vitest';
import { addServers, removeServer } from './edit-file.ts';
import { isProblem, parseFile } from './parse-file.ts';

const entry = { command: 'x', args: ['y'] };
const added = (text: string, yaml = false) => addServers(text, yaml, new Map([['new', entry]]));

function value(text: string, yaml = false): unknown {
  const parsed = parseFile(text, yaml);
  if (isProblem(parsed)) throw new Error(parsed.message);
  return parsed.value;
}

describe('JSON', () => {
  test.each([
    [
      'nothing',
      '',
      '{\n  "mcpServers": {\n    "new": {\n      "command": "x",\n      "args": [\n        "y"\n      ]\n    }\n  }\n}\n',
    ],
    [
      'comments and a trailing comma',
      '{\n  // top\n  "mcpServers": {\n    "a": { "command": "b" }, // the first, of two\n  },\n  "gateway": {}\n}\n',
      '{\n  // top\n  "mcpServers": {\n    "a": { "command": "b" }, // the first, of two\n    "new": {\n      "command": "x",\n      "args": [\n        "y"\n      ]\n    }\n  },\n  "gateway": {}\n}\n',
    ],
    [
      'a comment at the end',
      '{\n  "servers": {\n    "a": {} // last, really\n  }\n}',
      '{\n  "servers": {\n    "a": {}, // last, really\n    "new": {\n      "command": "x",\n      "args": [\n        "y"\n      ]\n    }\n  }\n}',
    ],
    [
      'tabs',
      '{\n\t"mcpServers": {\n\t\t"a": {}\n\t}\n}\n',
      '{\n\t"mcpServers": {\n\t\t"a": {},\n\t\t"new": {\n\t\t\t"command": "x",\n\t\t\t"args": [\n\t\t\t\t"y"\n\t\t\t]\n\t\t}\n\t}\n}\n',
    ],
  ])('add to %s', (_, text, expected) => {
    expect(added(text)).toBe(expected);
  });

  test.each([
    '{}',
    '{"gateway":{}}',
    '{"mcpServers":{}}',
    '{"servers":{"a":{"command":"b"}}}',
    '{ // none\n}',
    '{"mcpServers":{ /* , */ }}',
  ])('add to %j gives a file that reads', (text) => {
    const before = value(text) as { servers?: object; mcpServers?: object };
    const key = before.servers === undefined ? 'mcpServers' : 'servers';
    expect(value(added(text))).toEqual({ ...before, [key]: { ...before[key], new: entry } });
  });

  const three =
    '{\n  "mcpServers": {\n    // about a\n    "a": {},\n    // about b\n    "b": { "x": "}" }, // ,\n    "c": {}\n  }\n}\n';
  test.each([
    ['a', '{\n  "mcpServers": {\n    // about a\n    // about b\n    "b": { "x": "}" }, // ,\n    "c": {}\n  }\n}\n'],
    ['c', '{\n  "mcpServers": {\n    // about a\n    "a": {},\n    // about b\n    "b": { "x": "}" } // ,\n  }\n}\n'],
  ])('remove %s', (name, expected) => {
    expect(removeServer(three, false, name)).toBe(expected);
  });

  test.each([
    '{"mcpServers":{"a":{},"b":{}}}',
    three,
    '{"servers":{"b":{},}}',
    '{"mcpServers":{"b":1},"servers":{"a":2}}',
  ])('remove b from %j gives a file that reads', (text) => {
    const left = removeServer(text, false, 'b');
    expect(JSON.stringify(value(left ?? ''))).toBe(
      JSON.stringify(value(text))
        .replace(/,?"b":(?:\d|\{[^:]*?\}|\{"x":"\}"\})/, '')
        .replace('{,', '{'),
    );
  });

  test('no such server', () => expect(removeServer(three, false, 'gateway')).toBeUndefined());
});

describe('YAML', () => {
  const text = '# top\nmcpServers:\n  a: # first\n    command: x\ngateway:\n  port: 1 # low\n';

  test('add keeps comments', () => {
    expect(added(text, true)).toBe(
      '# top\nmcpServers:\n  a:\n    # first\n    command: x\n  new:\n    command: x\n    args:\n      - y\ngateway:\n  port: 1 # low\n',
    );
  });

  test.each(['', '# only this\n', 'mcpServers:\n', 'gateway: {}\n', 'servers: { a: {} }\n'])('add to %j', (before) => {
    const after = added(before, true);
    const read = value(after, true) as Record<string, object>;
    expect({ ...read['mcpServers'], ...read['servers'] }).toHaveProperty('new', entry);
    if (before.startsWith('#')) expect(after).toContain('# only this');
  });

  test('remove keeps comments', () => {
    expect(removeServer(text, true, 'a')).toBe('# top\nmcpServers: {}\ngateway:\n  port: 1 # low\n');
    expect(removeServer(text, true, 'b')).toBeUndefined();
  });
});
