import { expect, test } from 'vitest';
import { openTokenCounter } from './count-tokens.ts';

test('a definition is counted as models of OpenAI read it, and estimated for others', async () => {
  const count = await openTokenCounter();
  const tokens = count({ name: 'read_file', description: 'Reads a file.' });
  expect(tokens).toEqual({ o200k: 13, claude: 14, gemini: 13 });
});

test('a definition that spells a control token is counted as text', async () => {
  const count = await openTokenCounter();
  expect(count({ name: 'x', description: '<|endoftext|>' }).o200k).toBeGreaterThan(10);
});

test('Chinese text has more tokens a character', async () => {
  const count = await openTokenCounter();
  const { o200k, claude } = count({ description: '查询城市的天气预报并返回未来七天的温度' });
  expect(claude).toBeGreaterThan(o200k * 0.7);
  expect(claude).toBeLessThan(o200k * 1.5);
});
