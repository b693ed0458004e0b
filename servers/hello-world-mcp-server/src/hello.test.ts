import { readExamples, serverTests } from '@sallyport/kit/testing';
import { test } from 'vitest';
import { hello } from './hello.ts';

const examples = [
  ...readExamples(new URL('../README.md', import.meta.url)),
  { tool: 'hello_say_greeting', input: { name: 'Ada' }, output: { greeting: 'Hello, Ada!' } },
  { tool: 'hello_say_greeting', input: { name: '世界' }, output: { greeting: 'Hello, 世界!' } },
  { tool: 'hello_say_greeting', input: { name: '' }, error: /name/ },
];
for (const { kind, name, run } of serverTests({ create: hello, examples })) test(`${kind}: ${name}`, run);
