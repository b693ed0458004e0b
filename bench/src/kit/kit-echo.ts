import { defineServer, defineTool, field, z } from '@sallyport/kit';

const echo = defineTool({
  name: 'bench_echo_text',
  title: 'Echo a text',
  description: 'Returns the text that it was given, unchanged.',
  input: { text: field('The text', z.string()) },
  output: { text: field('The same text', z.string()) },
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  run: ({ text }) => ({ text }),
});

await defineServer({ name: 'bench-mcp-server', version: '1.0.0', tools: [echo] }).serve();
