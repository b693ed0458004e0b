import { readExamples, serverTests } from '@sallyport/kit/testing';
import { test } from 'vitest';
import { calculator } from './calculator.ts';

const examples = [
  ...readExamples(new URL('../README.md', import.meta.url)),
  { tool: 'calculate_sum', input: { numbers: [1, 2.5, -3] }, output: { sum: 0.5 } },
  { tool: 'calculate_sum', input: { numbers: [1e308, 1e308] }, error: /too large/ },
  { tool: 'calculate_two_numbers', input: { operation: 'divide', left: 7, right: 2 }, output: { result: 3.5 } },
  {
    tool: 'calculate_two_numbers',
    input: { operation: 'divide', left: 7, right: 0 },
    error: /divided by 0.*another divisor/,
  },
];
for (const { kind, name, run } of serverTests({ create: calculator, examples })) test(`${kind}: ${name}`, run);
