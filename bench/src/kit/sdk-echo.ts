import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { localhostHostValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

/** The same tool on the SDK alone, as its documentation shows it. */
function create(): McpServer {
  const server = new McpServer({ name: 'bench-mcp-server', version: '1.0.0' });
  server.registerTool(
    'bench_echo_text',
    {
      title: 'Echo a text',
      description: 'Returns the text that it was given, unchanged.',
      inputSchema: z.object({ text: z.string().describe('The text') }),
      outputSchema: z.object({ text: z.string().describe('The same text') }),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    ({ text }) => ({ content: [{ type: 'text', text: JSON.stringify({ text }) }], structuredContent: { text } }),
  );
  return server;
}

if (process.argv.includes('http')) {
  const handle = toNodeHandler(createMcpHandler(create));
  const isLocal = localhostHostValidation();
  const listener = createServer((request, response) => {
    // Its types know no `undefined`; Node sets method and URL of every request to a server.
    if (isLocal(request, response)) void handle(request as typeof request & { method: string; url: string }, response);
  });
  listener.listen(0, '127.0.0.1', () => {
    process.stderr.write(`listens at http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp\n`);
  });
} else serveStdio(create);
