import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Post } from '../../core/post.ts';
import { createPublish, readAnchor } from './anchor.ts';
import { createSealer, makeSealKey, readPublicKey } from './sealer.ts';

const KEY = makeSealKey();
const publicKey = readPublicKey(KEY);
const sealer = createSealer(KEY);
const LINE = lineOf(7);
const post: Post = fetch;

function lineOf(seq: number, by = sealer): string {
  return by.seal(JSON.stringify({ time: '', chain: '0', seq, hash: 'h', key: by.keyId }));
}

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-anchor-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'heads');
}

test('a file is appended to, and read again', async () => {
  const file = newFile();
  const publish = createPublish(`file:${file}`, post);
  await publish(LINE);
  await publish(lineOf(9));
  const heads = await readAnchor(file, publicKey);
  expect(heads).toMatchObject([
    { chain: '0', seq: 7, hash: 'h' },
    { chain: '0', seq: 9 },
  ]);
  expect(heads.every((head) => head.isSigned())).toBe(true);
});

test('whoever may write the file adds nothing that counts', async () => {
  const file = newFile();
  const other = createSealer(makeSealKey());
  const forged = LINE.replace('"seq":7', '"seq":99');
  appendFileSync(file, `${LINE}\n${forged}\n${lineOf(50, other)}\n{"key":"${sealer.keyId}"\n[]\n\n`);
  const heads = await readAnchor(file, publicKey);
  expect(heads.map((head) => [head.seq, head.isSigned()])).toEqual([
    [7, true],
    [99, false],
  ]);
});

test('an anchor that is missing, or has no head of this key, is an error', async () => {
  const file = newFile();
  await expect(readAnchor(file, publicKey)).rejects.toMatchObject({
    code: 'config',
    message: expect.stringMatching(/ENOENT/),
  });
  appendFileSync(file, `${lineOf(1, createSealer(makeSealKey()))}\n`);
  await expect(readAnchor(file, publicKey)).rejects.toThrow(/has no head that was signed with the key/);
});

test('a command gets the line on its standard input, without a shell', async () => {
  const file = newFile();
  await createPublish(`command: tee ${file}`, post)(LINE);
  expect(readFileSync(file, 'utf8')).toBe(`${LINE}\n`);
  await expect(createPublish('command:false', post)(LINE)).rejects.toThrow('it ended with 1');
  await expect(createPublish('command:/no/such/program', post)(LINE)).rejects.toThrow('ENOENT');
});

test('a URL gets it as a POST, and has to take it', async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
    request.on('end', () => response.writeHead(request.url === '/full' ? 507 : 204).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await createPublish(`${origin}/heads`, post)(LINE);
  expect(bodies).toEqual([LINE]);
  await expect(createPublish(`${origin}/full`, post)(LINE)).rejects.toThrow('HTTP 507');
});
