// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration's own variables are meant
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findProgram, readInterpreter } from '../upstream/find-program.ts';
import { listVariables } from './doctor-configuration.ts';
import { checkIsolation, checkNode } from './doctor-local.ts';
import { judgeReply } from './doctor-probe.ts';
import { parseTarget } from './parse-target.ts';
import { findPortOwner } from './port-owner.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('programs are found as the system finds them', () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, 'tool'), '#!/usr/bin/env -S node --flag\n', { mode: 0o755 });
  writeFileSync(join(cwd, 'text'), 'x', { mode: 0o644 });
  const find = (command: string, path = cwd) => findProgram({ command, cwd, path, extensions: [] });
  expect(find('tool')).toEqual({ kind: 'found', path: join(cwd, 'tool') });
  expect(find('./tool', '')).toEqual({ kind: 'found', path: join(cwd, 'tool') });
  expect(find('text')).toEqual({ kind: 'unusable', path: join(cwd, 'text'), reason: 'mode' });
  expect(find('.')).toMatchObject({ kind: 'unusable', reason: 'folder' });
  expect(find('gone', `/nowhere:${cwd}`)).toEqual({ kind: 'missing', searched: ['/nowhere', cwd] });
  chmodSync(join(cwd, 'text'), 0o755);
  expect(find('text')).toMatchObject({ kind: 'found' });
  expect(readInterpreter(join(cwd, 'tool'))).toBe('node');
  expect(readInterpreter(join(cwd, 'text'))).toBeUndefined();
  expect(readInterpreter('/no/such')).toBeUndefined();
});

test('the variables of an entry', () => {
  const entry = { env: { A: '${ONE}', B: 'x${env:TWO}y', C: '$${NOT}', D: '${THREE:-d}' }, args: ['${ONE}', 1, null] };
  expect([...listVariables(entry)]).toEqual(['ONE', 'TWO', 'THREE']);
});

test.each([
  ['20.18.9', 'failed'],
  ['18.20.0', 'failed'],
  ['20.19.0', 'ok'],
  ['24.1.0', 'ok'],
])('Node %s', (version, outcome) => {
  expect(checkNode(version)).toMatchObject({ outcome });
});

test.each([
  [{ kind: 'works', program: '/usr/bin/bwrap' }, 'ok', undefined],
  [{ kind: 'missing', reason: 'bubblewrap (bwrap) is not installed.' }, 'warning', /apt install bubblewrap/],
  [{ kind: 'broken', reason: 'bubblewrap does not work here.' }, 'warning', /Allow user namespaces/],
  [{ kind: 'elsewhere', reason: 'bubblewrap runs on Linux only.' }, 'skipped', undefined],
] as const)('isolation: %o', (isolation, outcome, fix) => {
  const found = checkIsolation(isolation);
  expect(found).toMatchObject({ outcome, ...(fix === undefined ? {} : { fix: expect.stringMatching(fix) }) });
});

const EVENTS = { 'content-type': 'text/event-stream; charset=utf-8' };
const RPC = '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}';

test.each([
  ['POST', 200, {}, RPC, 'mcp'],
  ['POST', 400, {}, RPC, 'mcp'],
  ['POST', 404, {}, RPC, 'other'],
  ['POST', 200, EVENTS, `event: message\ndata: ${RPC}\n\n`, 'mcp'],
  ['GET', 200, EVENTS, 'event: endpoint\ndata: /m\n\n', 'mcp'],
  ['GET', 200, EVENTS, 'event: tick\ndata: 1\n\n', 'other'],
  ['POST', 200, {}, '<html>', 'other'],
  ['POST', 200, {}, '{"jsonrpc":"1.0"}', 'other'],
  ['POST', 401, {}, RPC, 'denied'],
  ['POST', 403, {}, '', 'denied'],
  ['POST', 308, {}, '', 'redirect'],
  ['POST', 503, {}, '', 'down'],
])('%s %i %j %s is %s', (method, status, headers, body, kind) => {
  expect(judgeReply({ method, status, headers, body, complete: true })).toBe(kind);
});

test.runIf(process.platform === 'linux')('who listens on a port', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  expect(findPortOwner(port)).toMatchObject({ pid: process.pid, uid: process.getuid?.() });
  expect(findPortOwner(1)).toBeUndefined();
});

test.each([['localhost:3000/mcp'], ['mcp.example.com:443'], ['127.0.0.1:80/']])(
  '%s is a URL without its scheme',
  (word) => {
    expect(() => parseTarget(word, undefined)).toThrow(`write http://${word}.`);
  },
);
