import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import { atTheEnd } from './at-the-end.ts';
import { cli } from './cli-terminal.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';
import { browse, type SignInServer, startSignInServer } from './sign-in-server.ts';

const MAIN = new URL('../bin/sallyport.js', import.meta.url).pathname;

/** An upstream that lets nobody in without a token of `server`, made for it. */
async function startGuardedUpstream(server: SignInServer) {
  const credentials: (string | undefined)[] = [];
  const metadata = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        resource: upstream.url,
        authorization_servers: [server.issuer],
        scopes_supported: ['files:read'],
      }),
    );
  });
  await new Promise<void>((resolve) => metadata.listen(0, '127.0.0.1', resolve));
  atTheEnd(() => new Promise<void>((resolve) => metadata.close(() => resolve())));
  const place = `http://127.0.0.1:${(metadata.address() as AddressInfo).port}/about`;
  let stepUp = false;
  const upstream = await startHttpUpstream({
    behave: (message, response, request) => {
      const { authorization } = request.headers;
      credentials.push(authorization);
      const challenge = (more: string) => ({ 'www-authenticate': `Bearer ${more}resource_metadata="${place}"` });
      if (!server.accepts(authorization, upstream.url)) {
        response.writeHead(401, challenge('')).end();
        return true;
      }
      if (stepUp && message.method === 'tools/call' && !scopeOf(authorization).includes('files:write')) {
        response.writeHead(403, challenge('error="insufficient_scope", scope="files:write", ')).end();
        return true;
      }
      return false;
    },
  });
  return {
    ...upstream,
    credentials,
    wantMore: () => {
      stepUp = true;
    },
  };
}

function scopeOf(header = ''): string {
  const payload = header.split('.')[1] ?? '';
  return String((JSON.parse(Buffer.from(payload, 'base64url').toString()) as { scope?: unknown }).scope);
}

function configFor(url: string, auth: Record<string, unknown> = {}) {
  return { mcpServers: { files: { url, auth: { type: 'oauth', redirectPort: 0, ...auth } } } };
}

/** `sallyport login files`, with a person at the browser. */
async function signIn(gateway: RunningGateway, ...more: string[]) {
  const { configFile, stateDir } = gateway.process;
  const child = spawn(process.execPath, [MAIN, 'login', 'files', '--json', '--config', configFile, ...more], {
    env: { ...process.env, SALLYPORT_STATE: stateDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atTheEnd(() => child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const before = stderr;
    stderr += text;
    const address = /^ {2}(http\S+)$/m.exec(stderr)?.[1];
    if (address !== undefined && !/^ {2}(http\S+)$/m.test(before)) void browse(new URL(address));
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

async function call(gateway: RunningGateway, name = 'files_echo') {
  const client = new PlainClient(gateway);
  await client.initialize();
  const answer = await client.request('tools/call', { name, arguments: {} });
  return JSON.stringify(answer);
}

test('a person signs in once, and calls go through, over a restart too', async () => {
  const server = await startSignInServer();
  const upstream = await startGuardedUpstream(server);
  const gateway = await startGateway(configFor(upstream.url));
  expect(await call(gateway)).toMatch(/wants a person to sign in|a person has to sign in again/);
  const { code, stdout, stderr } = await signIn(gateway);
  expect(stderr).toContain(server.issuer);
  await gateway.process.logged(/list changed/);
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({
    code: 0,
    server: 'files',
    issuer: server.issuer,
    renewable: true,
  });
  expect(await call(gateway)).toContain('echo done');
  // `resource` in both requests, PKCE in the first, and the verifier in the second.
  const encoded = encodeURIComponent(upstream.url);
  const asked = server.heard.find(({ path }) => path.startsWith('/auth?'))?.path ?? '';
  expect(asked).toContain(`resource=${encoded}`);
  expect(asked).toContain('code_challenge_method=S256');
  const exchanged = server.heard.find(({ path }) => path === '/token')?.body ?? '';
  expect(exchanged).toContain(`resource=${encoded}`);
  expect(exchanged).toContain('code_verifier=');
  // Nothing of it can be read in the database or the log.
  const token = upstream.credentials.at(-1)?.slice('Bearer '.length) ?? '';
  const database = new DatabaseSync(join(gateway.process.stateDir, 'sallyport.db'));
  const rows = JSON.stringify(database.prepare('select * from upstream_tokens').all());
  database.close();
  expect(rows).toContain(upstream.url);
  expect(rows).not.toContain(token.slice(0, 20));
  expect(gateway.process.stderr).not.toContain(token.slice(20, 60));
  // That somebody signed in and out stands in the record.
  const here = { env: { SALLYPORT_STATE: gateway.process.stateDir } };
  const file = ['--config', gateway.process.configFile];
  expect((await cli(['logout', 'files', ...file], here)).stdout).toContain('Signed out of "files"');
  const { calls } = (
    await cli(['audit', 'search', '--kind', 'event', '--upstream', 'files', '--json'], here)
  ).json() as {
    calls: Record<string, unknown>[];
  };
  expect(calls).toMatchObject(
    ['sign_in_begun', 'sign_in_done', 'sign_out'].map((kind) => ({
      kind,
      by: expect.stringMatching(/^os:/),
      owner: 'local',
    })),
  );
  expect(JSON.stringify(calls)).not.toContain(token.slice(0, 20));
});

test('an expired token is renewed once for all who wait, and a refresh token is never used twice', async () => {
  const server = await startSignInServer();
  const upstream = await startGuardedUpstream(server);
  const gateway = await startGateway(configFor(upstream.url));
  // Shorter than the margin: every call finds it old.
  server.lifetime = 31;
  expect(await signIn(gateway)).toMatchObject({ code: 0 });
  server.lifetime = 300;
  // The token is good for one second more than the margin, and the gateway has it by now.
  await gateway.process.logged(/list changed/);
  await new Promise((resolve) => setTimeout(resolve, 1200));
  const answers = await Promise.all(Array.from({ length: 8 }, () => call(gateway)));
  for (const answer of answers) expect(answer).toContain('echo done');
  const refreshes = server.heard.filter(({ body }) => body.includes('grant_type=refresh_token'));
  // One may have come with the sign-in itself, while tokens were still short-lived.
  expect(refreshes.length).toBeGreaterThan(0);
  expect(refreshes.length).toBeLessThan(3);
  const used = refreshes.map(({ body }) => new URLSearchParams(body).get('refresh_token'));
  expect(new Set(used).size).toBe(used.length);
  expect(refreshes[0]?.body).toContain(`resource=${encodeURIComponent(upstream.url)}`);
});

test('a server that wants more scopes names the command, and the next sign-in asks for the old and the new ones', async () => {
  const server = await startSignInServer();
  const upstream = await startGuardedUpstream(server);
  const gateway = await startGateway(configFor(upstream.url));
  expect(await signIn(gateway)).toMatchObject({ code: 0 });
  await gateway.process.logged(/list changed/);
  expect(await call(gateway)).toContain('echo done');
  upstream.wantMore();
  const refused = await call(gateway);
  expect(refused).toContain('files:write');
  expect(refused).toContain('a person has to sign in again');
  expect(await signIn(gateway)).toMatchObject({ code: 0 });
  const last = server.heard.findLast(({ path }) => path.startsWith('/auth?'))?.path ?? '';
  expect(new URL(last, server.issuer).searchParams.get('scope')?.split(' ')).toEqual(
    expect.arrayContaining(['files:read', 'files:write']),
  );
  expect(await call(gateway)).toContain('echo done');
});

test('another principal does not use the tokens of the person at this machine', async () => {
  const server = await startSignInServer();
  const upstream = await startGuardedUpstream(server);
  const gateway = await startGateway(configFor(upstream.url));
  expect(await signIn(gateway, '--principal', 'oauth:https://x.test#eve')).toMatchObject({ code: 0 });
  expect(await call(gateway)).toMatch(/wants a person to sign in|a person has to sign in again/);
  expect(upstream.credentials.filter((each) => each !== undefined)).toEqual([]);
});

test('a static secret is read where it stands and never shown', async () => {
  const upstream = await startHttpUpstream({
    behave: (_, response, request) => {
      if (request.headers['x-api-key'] === 'top-secret-1') return false;
      response.writeHead(401).end(`wrong: ${request.headers['x-api-key']}`);
      return true;
    },
  });
  const auth = { type: 'static', header: 'X-Api-Key', secretRef: 'env:FILES_KEY' };
  const config = { mcpServers: { files: { url: upstream.url, auth } } };
  const good = await startGateway(config, [], { FILES_KEY: 'top-secret-1' });
  expect(await call(good)).toContain('echo done');
  expect(good.process.stderr).not.toContain('top-secret-1');
  const bad = await startGateway(config, [], { FILES_KEY: 'top-secret-2' });
  const refused = await call(bad);
  expect(refused).toContain('env:FILES_KEY');
  expect(refused + bad.process.stderr).not.toContain('top-secret-2');
});
