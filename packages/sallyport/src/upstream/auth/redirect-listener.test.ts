import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openRedirectListener } from './redirect-listener.ts';

async function open() {
  const listener = await openRedirectListener(0);
  onTestFinished(() => listener.close());
  return { listener, port: Number(new URL(listener.redirectUri).port) };
}

/** The status of a GET whose path is sent as it is. */
function ask(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path }, (reply) => {
      reply.resume();
      resolve(reply.statusCode);
    }).on('error', reject);
  });
}

test('a path that is no URL is refused, and the answer still comes through', async () => {
  const { listener, port } = await open();
  const answer = listener.wait('known', AbortSignal.timeout(10_000));
  for (const path of ['//[', '//a:b:c/callback?state=known', '/callback', '/callback?state=other'])
    expect([path, await ask(port, path)]).toEqual([path, 400]);
  expect(await ask(port, '/callback?state=known&code=c')).toBe(200);
  expect((await answer).get('code')).toBe('c');
});

test('a connection that a browser opened in advance does not hold up the end', async () => {
  const { listener, port } = await open();
  const silent = connect(port, '127.0.0.1');
  silent.on('error', () => {});
  await once(silent, 'connect');
  await listener.close();
});
