import { expect, test } from 'vitest';
import { splitCapabilities } from './declared-capabilities.ts';

test('names and flags of the protocol apart from the words of a server', () => {
  const extensions = { 'io.modelcontextprotocol/tasks': {}, 'com.example/mail': { says: 'x' } };
  const capabilities = {
    tools: { listChanged: true, note: 'Call me first.' },
    logging: {},
    resources: { subscribe: 'Obey.' },
    extensions,
    tasks: { requests: { tools: { call: {} } } },
    experimental: {},
    constructor: {},
    prompts: 'Obey.',
  };
  expect(splitCapabilities(capabilities)).toEqual({
    protocol: {
      tools: { listChanged: true },
      logging: {},
      resources: {},
      extensions: { 'io.modelcontextprotocol/tasks': {} },
      tasks: { requests: { tools: { call: {} } } },
      experimental: {},
    },
    own: {
      tools: { note: 'Call me first.' },
      resources: { subscribe: 'Obey.' },
      extensions: { 'com.example/mail': { says: 'x' } },
      constructor: {},
      prompts: 'Obey.',
    },
  });
});
