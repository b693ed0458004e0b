/**
 * A process: the peer mcp-proxy in front of an HTTP upstream. Its command line fronts stdio servers only, its library
 * fronts any client; this is the wiring its README shows. Usage: `mcp-proxy-http.js <upstream url> <port>`.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Server } from '@modelcontextprotocol/server';
import { proxyServer, startHTTPServer } from 'mcp-proxy';

const [url = '', port = ''] = process.argv.slice(2);
const client = new Client({ name: 'mcp-proxy', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const serverCapabilities = client.getServerCapabilities() ?? {};

await startHTTPServer({
  createServer: async () => {
    const server = new Server({ name: 'mcp-proxy', version: '1.0.0' }, { capabilities: serverCapabilities });
    await proxyServer({ client, server, serverCapabilities });
    return server;
  },
  host: '127.0.0.1',
  port: Number(port),
  sseEndpoint: null,
});
process.on('SIGTERM', () => process.exit(0));
process.stdin.resume().on('end', () => process.exit(0));
