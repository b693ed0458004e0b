import { expect, test } from 'vitest';
import { openRelay, toInbound } from '../../test/sample-relay.ts';
import { beginPassing } from './passing.ts';

test('a request begins as failed, with one id for log and record, and with its caller', () => {
  const { ports } = openRelay([]);
  const inbound = toInbound('tools/call', { name: 'web_echo' });
  const { record, subject, envelope, isAnswered } = beginPassing(ports, inbound);
  expect([envelope, isAnswered, record.outcome]).toEqual([undefined, false, 'failed']);
  expect(record.callId).toBe(subject.callId);
  expect(record).toMatchObject({
    principal: inbound.exchange.client.principal.id,
    client: 'test',
    requestBytes: inbound.request.bytes.length,
  });
  expect(subject).toMatchObject({
    method: 'tools/call',
    requestBytes: inbound.request.bytes.length,
    snapshotVersion: 3,
  });
  expect(beginPassing(ports, inbound).record.callId).not.toBe(record.callId);
});
