import { defineServer, defineTool, field, z } from '@sallyport/kit';

const greet = defineTool({
  name: 'hello_say_greeting',
  title: 'Say hello',
  description: 'Greets somebody by name and returns the greeting.',
  input: { name: field('Whom to greet, for example "Ada"', z.string().min(1).max(100)) },
  output: { greeting: field('The greeting', z.string()) },
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  run: ({ name }) => ({ greeting: `Hello, ${name}!` }),
});

export const hello = () => defineServer({ name: 'hello-world-mcp-server', version: '1.0.0', tools: [greet] });
