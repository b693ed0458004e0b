import { readExamples, serverTests } from '@sallyport/kit/testing';
import { test } from 'vitest';
import { stocks } from './stocks.ts';

const examples = [
  ...readExamples(new URL('../README.md', import.meta.url)),
  { tool: 'stocks_get_price', input: { symbol: 'acme' }, output: { close: 41.2, currency: 'USD' } },
  { tool: 'stocks_get_price', input: { symbol: 'NONE' }, error: /stocks_list_shares/ },
  { tool: 'stocks_list_shares', input: { limit: 2 }, output: { has_more: true, next_offset: 2, total_count: 5 } },
];
for (const { kind, name, run } of serverTests({ create: stocks, examples })) test(`${kind}: ${name}`, run);
