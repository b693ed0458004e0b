import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atTheEnd } from './at-the-end.ts';
import { toBlocks } from './docs-pages.ts';
import { freePort } from './doctor-servers.ts';
import { makeCertificate } from './make-certificate.ts';
import { type Announcement, misbehaving, newTestFolder, SallyportProcess } from './running-sallyport.ts';

// Debian packages that .ci/run installs; on a desk without them these two are left out.
const has = (program: string): boolean => spawnSync('which', [program]).status === 0;
const blockOf = (language: string): string =>
  toBlocks('docs/guide-operation.md').find((block) => block.language === language)?.text ?? '';

describe.skipIf(!has('systemd-analyze'))('the service unit of the operation guide', () => {
  it('is one that systemd takes', () => {
    const folder = newTestFolder();
    const file = join(folder, 'sallyport.service');
    // verify wants the program and the user to be there.
    const unit = blockOf('ini').replace('/usr/local/bin/sallyport', process.execPath).replace('User=sallyport\n', '');
    writeFileSync(file, unit);
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    expect({ status, said: stderr.split('\n').filter((line) => line.includes('sallyport.service')) }).toEqual({
      status: 0,
      said: [],
    });
  });
});

describe.skipIf(!has('nginx'))('the proxy of the operation guide', () => {
  it('passes calls and streams through, under the name the clients use', async () => {
    const { gateway } = JSON.parse(blockOf('json')) as { gateway: Record<string, unknown> }; // checked by docs.test.ts
    const sallyport = new SallyportProcess({ gateway, mcpServers: { one: misbehaving() } }, [
      'up',
      '--port',
      '0',
      '--json',
    ]);
    const facts = JSON.parse(await sallyport.until(() => /^\{.*\}\n/.exec(sallyport.stdout)?.[0])) as Announcement; // what `up --json` prints
    const { port, ca } = await startNginx(new URL(facts.url).port);
    const key = readFileSync(join(sallyport.stateDir, 'key'), 'utf8').trim();
    const call = { jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE };
    const answer = await send({ port, ca, key, path: '/mcp', body: JSON.stringify(call) });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.text).toContain('"protocolVersion":"2024-11-05"');
    // The first event comes while the stream stays open: nothing is buffered.
    const stream = await send({ port, ca, key, path: '/sse' });
    expect(stream.text).toMatch(/^event: endpoint/);
    const foreign = await send({ port, ca, key, path: '/mcp', body: '{}', host: 'other.example.com' });
    expect(foreign.status).toBe(403);
  });
});

const INITIALIZE = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'test', version: '1' } };

async function startNginx(behind: string): Promise<{ port: number; ca: string }> {
  const folder = newTestFolder();
  const port = await freePort();
  const day = 86_400_000;
  const { cert, key } = makeCertificate({
    names: ['tools.example.com', 'other.example.com'],
    from: new Date(Date.now() - day),
    until: new Date(Date.now() + day),
  });
  mkdirSync(join(folder, 'temp'));
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
  const server = blockOf('nginx')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('/etc/ssl/tools.example.com.pem', join(folder, 'cert.pem'))
    .replace('/etc/ssl/tools.example.com.key', join(folder, 'key.pem'))
    .replace('127.0.0.1:7411', `127.0.0.1:${behind}`);
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${join(folder, 'temp', kind)};`)
    .join(' ');
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${join(folder, 'pid')}; error_log stderr; events {} http { access_log off; ${temp}\n${server}\n}`,
  );
  const child: ChildProcess = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  const exited = once(child, 'close');
  atTheEnd(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  for (;;) {
    const isUp = await send({ port, ca: cert, key: '', path: '/healthz' }).then(
      () => true,
      () => child.exitCode !== null,
    );
    if (isUp) return { port, ca: cert };
  }
}

interface Sent {
  readonly port: number;
  readonly ca: string;
  readonly key: string;
  readonly path: string;
  readonly body?: string;
  readonly host?: string;
}

/** The status and the first piece of the body. */
function send({ port, ca, key, path, body, host = 'tools.example.com' }: Sent) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: body === undefined ? 'GET' : 'POST',
        servername: host,
        ca,
        headers: {
          host,
          authorization: `Bearer ${key}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
      },
      (response) => {
        response.once('data', (chunk: Buffer) => {
          resolve({ status: response.statusCode ?? 0, text: chunk.toString() });
          asked.destroy();
        });
      },
    );
    asked.once('error', reject);
    asked.end(body);
  });
}
