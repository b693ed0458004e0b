import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../test/wait-for.ts';
import type { Approval } from '../guard/approve/approval.ts';
import { createApprovalWebhook } from './approval-webhook.ts';

const SECRET = 'sixteen letters!';
const approval = { id: 'ap_1', arguments: { to: 'bob' } } as unknown as Approval;

async function hook(answer: (request: IncomingMessage, response: ServerResponse, n: number) => void) {
  const bodies: { body: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push({ body, headers: request.headers });
    answer(request, response, bodies.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const errors: unknown[] = [];
  const note = (fields: unknown, message: string) => void errors.push({ ...(fields as object), message });
  const webhook = createApprovalWebhook({
    target: () => ({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/T0/hunter2`,
      secretEnv: 'SECRET',
    }),
    readSecret: (name) => (name === 'SECRET' ? SECRET : undefined),
    clock: { now: () => 5_000 },
    log: { debug() {}, info() {}, warn() {}, error: note },
    pausesMs: [1, 1],
  });
  onTestFinished(() => {
    webhook.close();
    server.closeAllConnections();
    server.close();
  });
  return { bodies, errors, webhook };
}

test('the signature covers timestamp and body', async () => {
  const { bodies, webhook } = await hook((_, response) => response.end());
  webhook.send('answered', approval);
  await waitFor(() => expect(bodies).toHaveLength(1));
  const [{ body, headers } = { body: '', headers: {} }] = bodies;
  expect(JSON.parse(body)).toEqual({ event: 'approval.answered', approval: { id: 'ap_1', arguments: { to: 'bob' } } });
  expect(headers['sallyport-timestamp']).toBe('5');
  expect(headers['sallyport-signature']).toBe(`v1=${createHmac('sha256', SECRET).update(`5.${body}`).digest('hex')}`);
});

test('a receiver that fails is tried so often and no more', async () => {
  const { bodies, errors, webhook } = await hook((_, response) => response.writeHead(503).end());
  webhook.send('asked', approval);
  await waitFor(() => expect(errors).toHaveLength(1));
  expect(bodies).toHaveLength(3);
  expect(errors).toMatchObject([{ approval: 'ap_1', problem: 'HTTP 503', message: 'the webhook was not delivered' }]);
  expect(JSON.stringify(errors)).not.toMatch(/bob|hunter2/);
});

test('a redirect is not followed: the arguments would go where nobody wrote down', async () => {
  const { bodies, errors, webhook } = await hook((request, response) =>
    response.writeHead(307, { location: `http://${request.headers.host}/elsewhere` }).end(),
  );
  webhook.send('asked', approval);
  await waitFor(() => expect(errors).toHaveLength(1));
  expect(bodies).toHaveLength(3);
});

test('nothing is sent unsigned', () => {
  const errors: string[] = [];
  const webhook = createApprovalWebhook({
    target: () => ({ url: 'http://[', secretEnv: 'NONE' }),
    readSecret: () => 'short',
    clock: { now: () => 0 },
    log: { debug() {}, info() {}, warn() {}, error: (_, message) => void errors.push(message) },
  });
  webhook.send('asked', approval);
  expect(errors).toEqual(['the webhook was not sent: NONE holds no secret of 16 characters or more']);
});

test('a receiver that never answers holds nobody: sending returns at once, closing gives up', async () => {
  const { errors, bodies, webhook } = await hook(() => {});
  expect(webhook.send('asked', approval)).toBeUndefined();
  await waitFor(() => expect(bodies).toHaveLength(1));
  webhook.close();
  await waitFor(() => expect(errors).toHaveLength(1));
});
