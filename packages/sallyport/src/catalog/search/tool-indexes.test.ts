import { expect, test } from 'vitest';
import type { ListedTool } from '../contract.ts';
import { findTools } from './find-tools.ts';
import { type ToolIndex, ToolIndexes } from './tool-indexes.ts';

function listed(
  upstream: string,
  name: string,
  description: string,
  more: Partial<ListedTool['tool']> = {},
): ListedTool {
  const definition = { name, description };
  const tool = { upstream, name, publicName: `${upstream}_${name}`, definition, digest: description, sinks: [] };
  return { tool: { ...tool, setAside: undefined, approvedHints: {}, ...more }, description: undefined };
}

const find = ({ index, listed: of }: ToolIndex, query: string) =>
  findTools(index, [query], { most: 5, isAllowed: (face) => of(face) !== undefined }).flatMap(
    ({ tool }) => of(tool)?.tool.publicName ?? [],
  );

const MAIL = listed('mail', 'send', 'Sends an email.');
const PAY = listed('bank', 'pay', 'Pays a bill.');

test('callers whose lists show the same tools share an index; others have their own', async () => {
  const indexes = new ToolIndexes();
  const one = await indexes.find('one', [MAIL, PAY]);
  const same = await indexes.find('other', [MAIL, PAY]);
  const less = await indexes.find('less', [MAIL]);
  expect(same.index).toBe(one.index);
  expect(less.index).not.toBe(one.index);
  expect(less.index.size).toBe(1);
  expect(find(less, 'pay a bill')).toEqual([]);
  expect(find(one, 'pay a bill')).toEqual(['bank_pay']);
});

test('an index follows its own list, and nobody else’s', async () => {
  const indexes = new ToolIndexes();
  const before = await indexes.find('one', [MAIL, PAY]);
  await indexes.find('other', [MAIL, PAY]);
  const changed = listed('mail', 'send', 'Posts a letter.');
  const after = await indexes.find('one', [changed]);
  expect(after.index).toBe(before.index);
  expect(find(after, 'letter')).toEqual(['mail_send']);
  expect(find(after, 'email bill')).toEqual([]);
  const other = await indexes.find('other', [MAIL, PAY, changed]);
  expect(other.index).not.toBe(after.index);
  expect((await indexes.find('other', [changed])).index).toBe(after.index);
});

test('requests that come while it follows find what their own list shows', async () => {
  const indexes = new ToolIndexes();
  const [first, second] = await Promise.all([indexes.find('one', [MAIL]), indexes.find('one', [PAY])]);
  expect(find(first, 'email bill')).toEqual([]);
  expect(find(second, 'email bill')).toEqual(['bank_pay']);
});

test('a bundle may show one tool twice, under words of its own', async () => {
  const post = listed('mail', 'send', 'Sends an email.', { publicName: 'post' });
  const found = await new ToolIndexes().find('one', [post, { ...MAIL, description: 'Posts a letter.' }]);
  expect(find(found, 'post').sort()).toEqual(['mail_send', 'post']);
  expect(find(found, 'letter')).toEqual(['mail_send']);
});
