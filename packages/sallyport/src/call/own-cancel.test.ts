import { expect, test } from 'vitest';
import { toInbound } from '../../test/sample-relay.ts';
import type { Exchange } from '../core/exchange.ts';
import { withOwnCancel } from './own-cancel.ts';

function open() {
  const { exchange } = toInbound('tools/call', {});
  const heard: string[] = [];
  Object.assign(exchange, { onCancel: (reason: string) => heard.push(`server: ${reason}`) });
  return { exchange: exchange as Exchange & { cancelled: boolean }, heard };
}

test('the server of the request and whoever asks a person meanwhile both hear that the client gives up', async () => {
  const { exchange, heard } = open();
  const before = exchange.onCancel;
  const result = await withOwnCancel(exchange, async (own) => {
    own.onCancel = (reason) => heard.push(`own: ${reason}`);
    exchange.onCancel?.('enough');
    exchange.cancelled = true;
    return own.cancelled;
  });
  expect(heard).toEqual(['server: enough', 'own: enough']);
  expect(result).toBe(true);
  expect(exchange.onCancel).toBe(before);
});

test('what fails leaves the request as it was', async () => {
  const { exchange } = open();
  const before = exchange.onCancel;
  await expect(withOwnCancel(exchange, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  expect(exchange.onCancel).toBe(before);
});

test('who listens anew meanwhile goes on listening', async () => {
  const { exchange } = open();
  const later = () => undefined;
  await withOwnCancel(exchange, async () => {
    exchange.onCancel = later;
  });
  expect(exchange.onCancel).toBe(later);
});

test('nobody is asked through a request that nobody attends to', async () => {
  const { exchange } = open();
  expect(await withOwnCancel(exchange, async (own) => own.unattended)).toBe(false);
  const errand = { ...exchange, unattended: true };
  expect(await withOwnCancel(errand, async (own) => own.unattended)).toBe(true);
});
