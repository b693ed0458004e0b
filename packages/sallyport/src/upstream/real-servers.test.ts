import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  capable,
  childSettings,
  createClient,
  httpSettings,
  type Opened,
  openUpstreams,
  TestExchange,
  toCall,
  toRequest,
} from '../../test/upstream-set-up.ts';
import { Answer } from '../core/message.ts';

const EVERYTHING = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function startEverything(manner: string): Promise<{ child: ChildProcess; port: number }> {
  const port = await freePort();
  const child = spawn(process.execPath, [EVERYTHING, manner], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (/port \d+/.test(said)) resolve();
    });
    child.once('exit', () => reject(new Error(said)));
  });
  return { child, port };
}

describe.each(['stdio', 'streamableHttp', 'sse'])('server-everything over %s', (manner) => {
  let child: ChildProcess | undefined;
  let upstreams: Opened;
  beforeAll(async () => {
    if (manner === 'stdio') {
      upstreams = openUpstreams(childSettings([EVERYTHING, 'stdio']));
      return;
    }
    const started = await startEverything(manner);
    child = started.child;
    upstreams = openUpstreams(
      httpSettings(`http://127.0.0.1:${started.port}/${manner === 'sse' ? 'sse' : 'mcp'}`, {}, 'auto'),
    );
  });
  afterAll(async () => {
    await upstreams.close();
    if (child === undefined) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  });

  it('answers, asks, reports progress and is recognised', async () => {
    const sampled = { role: 'assistant', model: 'm', content: { type: 'text', text: 'sampled' } };
    const exchange = capable({
      progressToken: '"t"',
      answer: (asked) => Answer.result('1', asked.method === 'roots/list' ? { roots: [] } : sampled),
    });
    const send = (name: string, args: Record<string, string | number>) =>
      upstreams.send('subject', toCall(name, args), exchange);
    expect((await send('echo', { message: 'hi' })).result).toMatchObject({ content: [{ text: 'Echo: hi' }] });
    expect(JSON.stringify((await send('trigger-sampling-request', { prompt: 'p', maxTokens: 5 })).result)).toContain(
      'sampled',
    );
    await send('trigger-long-running-operation', { duration: 0.4, steps: 4 });
    expect(
      exchange.notified
        .filter(({ method }) => method === 'notifications/progress')
        .map(({ params }) => [params['progressToken'], params['progress']]),
    ).toEqual([1, 2, 3, 4].map((step) => ['t', step]));
    expect((await upstreams.send('subject', toRequest('prompts/list'), exchange)).result).toHaveProperty('prompts');
    expect(upstreams.status('subject')).toMatchObject({
      era: 'legacy',
      revision: '2025-11-25',
      state: 'ready',
      lastError: undefined,
    });
  });
});

describe('a modern server written with the official SDK', () => {
  let server: Server;
  let upstreams: Opened;
  const handler = createMcpHandler(
    () => {
      const mcp = new McpServer(
        { name: 'sdk', version: '1' },
        { capabilities: { tools: { listChanged: true }, logging: {} } },
      );
      mcp.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
        content: [{ type: 'text', text }],
      }));
      mcp.registerTool('deploy', { inputSchema: z.object({}) }, (_args, context) => {
        const schema = z.object({ confirm: z.boolean() });
        const confirmed = acceptedContent(context.mcpReq.inputResponses, 'confirm', schema);
        if (confirmed === undefined)
          return inputRequired({
            inputRequests: { confirm: inputRequired.elicit({ message: 'Deploy?', requestedSchema: schema }) },
          });
        return { content: [{ type: 'text', text: confirmed.confirm ? 'deployed' : 'left' }] };
      });
      return mcp;
    },
    { responseMode: 'auto' },
  );
  beforeAll(async () => {
    const serve = toNodeHandler(handler);
    server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    upstreams = openUpstreams(
      httpSettings(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, {}, 'auto'),
    );
  });
  afterAll(async () => {
    await upstreams.close();
    await handler.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('is called in its own era, and its tool errors come through', async () => {
    expect((await upstreams.send('subject', toCall('echo', { text: 'hi' }), new TestExchange())).result).toMatchObject({
      resultType: 'complete',
      content: [{ text: 'hi' }],
    });
    expect((await upstreams.send('subject', toCall('echo', { text: 7 }), new TestExchange())).outcome).toMatchObject({
      kind: expect.any(String),
    });
    expect((await upstreams.send('subject', toCall('nothing'), new TestExchange())).outcome).toMatchObject({
      error: { code: -32602 },
    });
    expect(upstreams.status('subject')).toMatchObject({ era: 'modern', revision: '2026-07-28' });
  });

  it('is given the input it asks for', async () => {
    const exchange = new TestExchange({
      client: createClient('c', { elicitation: { form: {} } }),
      inputs: () => ({ confirm: { action: 'accept', content: { confirm: true } } }),
    });
    expect((await upstreams.send('subject', toCall('deploy'), exchange)).result).toMatchObject({
      content: [{ text: 'deployed' }],
    });
  });

  it('tells of changed lists', async () => {
    await upstreams.identify('subject', createClient());
    const heard = upstreams.event('list_changed');
    // The listening stream opens beside the first call; what is published before it is open is not heard.
    const timer = setInterval(() => handler.notify.toolsChanged(), 50);
    expect((await heard).list).toBe('tools');
    clearInterval(timer);
  });
});
