import { readExamples, serverTests } from '@sallyport/kit/testing';
import { test } from 'vitest';
import { lights } from './lights.ts';

const examples = [
  ...readExamples(new URL('../README.md', import.meta.url)),
  { tool: 'lights_list_rooms', input: {} },
  {
    tool: 'lights_switch_room',
    input: { room: 'Kitchen', is_on: true, brightness: 40 },
    output: { light: { room: 'kitchen', is_on: true, brightness: 40 } },
  },
  { tool: 'lights_switch_room', input: { room: 'garage', is_on: true }, error: /kitchen, bedroom, office/ },
];
for (const { kind, name, run } of serverTests({ create: lights, examples })) test(`${kind}: ${name}`, run);
