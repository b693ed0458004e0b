import { expect, test } from 'vitest';
import type { Tool } from '../../core/call.ts';
import { nameTools, toNamedTools } from './tool-names.ts';

const tool = (upstream: string, name: string, publicName = `${upstream}_${name}`): Tool => ({
  ...{ upstream, name, publicName, definition: {}, digest: '', setAside: undefined, approvedHints: {}, sinks: [] },
});

test('names are identifiers, and no two are the same', () => {
  const tools = [
    tool('my-files', 'read.file'),
    tool('my_files', 'read_file'),
    tool('my-files', 'read_file'),
    tool('a', '2fast'),
    tool('a', '文件'),
    tool('a', 'constructor'),
    tool('a', '__proto__'),
    tool('a', 'send', 'post'),
  ];
  expect(nameTools(tools).map(({ namespace, name }) => `${namespace}.${name}`)).toEqual([
    'my_files.read_file',
    'my_files_2.read_file',
    'my_files.read_file_2',
    'a._2fast',
    'a.__',
    'a.constructor',
    'a.__proto__',
    'a.post',
  ]);
  expect(toNamedTools(nameTools(tools)).map(([server, own]) => [server, own.length])).toEqual([
    ['my_files', 2],
    ['my_files_2', 1],
    ['a', 5],
  ]);
});
