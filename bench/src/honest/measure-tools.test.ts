import { expect, test } from 'vitest';
import { findMissing } from './measure-tools.ts';

const tool = (name: string, description = name) => ({ name, description, inputSchema: { type: 'object' } });

test('a tool is there under its public name or under a short form of it', () => {
  const direct = new Map([
    [
      'notion',
      [tool('search'), tool('a-name-that-is-too-long', 'does it'), tool('gone'), { name: 'odd', inputSchema: {} }],
    ],
  ]);
  const offered = [tool('notion_search'), tool('notion_a-name_0123abcd', 'does it'), tool('other_gone', 'gone')];
  expect(findMissing(direct, offered)).toEqual([
    { server: 'notion', name: 'gone', isMalformed: false },
    { server: 'notion', name: 'odd', isMalformed: true },
  ]);
});
