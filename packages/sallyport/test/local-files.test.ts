import { expect, it } from 'vitest';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient } from './plain-client.ts';
import { startGateway } from './running-sallyport.ts';

const uri = 'file:///work/readme.md';
const RESULT = {
  content: [
    { type: 'resource_link', uri, name: 'readme' },
    { type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'hello' } },
  ],
};

it.each([
  ['by default', {}],
  ['with rules for resources', { scan: { resources: { unlisted: 'allow' } } }],
])('a server over HTTP on this machine may link to its files, %s', async (_, written) => {
  const files = await startHttpUpstream({
    behave: ({ id, method }, response) => {
      if (method !== 'tools/call') return false;
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result: RESULT }));
      return true;
    },
  });
  const gateway = await startGateway({ mcpServers: { files: { url: files.url } }, ...written });
  const client = await new PlainClient(gateway, gateway.servers['files']).initialize();
  const { body } = await client.ask('tools/call', { name: 'echo', arguments: {} });
  expect(body).toContain(JSON.stringify(RESULT));
});
