import { expect, test } from 'vitest';
import { FaultError } from '../core/errors.ts';
import { Answer, Request } from '../core/message.ts';
import type { Verdict } from '../core/verdict.ts';
import { complete } from './complete.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';

const REFS = [
  [
    { type: 'ref/prompt', name: 's_greet' },
    { kind: 'prompt', upstream: 's', id: 'greet' },
  ],
  [
    { type: 'ref/resource', uri: 's+file:///{p}' },
    { kind: 'resource', upstream: 's', id: 'file:///{p}' },
  ],
] as const;

function world(verdict: Verdict, isDown = false) {
  const steps: string[] = [];
  const asked: unknown[] = [];
  const exchange = {
    client: { principal: { id: 'key:a' }, info: { name: 't', version: '' } },
    vet: undefined as unknown,
  };
  const vet = async () => undefined;
  const ports = {
    offers: {
      before: ({ offer }: { offer: unknown }) => {
        asked.push(offer);
        return verdict;
      },
      after: () => ({ kind: 'allow' }),
    },
    audit: {
      admit() {
        if (isDown) throw new FaultError('unrecorded', 'The disk is full.');
        steps.push('recorded');
      },
      finish: (_subject: unknown, { outcome }: { outcome: string }) => steps.push(outcome),
    },
    vetting: () => vet,
    upstreams: {
      async send() {
        steps.push(exchange.vet === vet ? 'sent' : 'sent unvetted');
        return Answer.result('1', { completion: { values: ['a'] } });
      },
    },
  } as unknown as CallPorts;
  const view = {
    prompt: () => ({ upstream: 's', name: 'greet' }),
    resource: () => [{ upstream: 's', uri: 'file:///{p}' }],
  };
  const run = (ref: object) =>
    complete(ports, {
      request: Request.of('1', 'completion/complete', { ref: { ...ref }, argument: { name: 'p', value: '' } }),
      ...{ exchange, view, snapshot: { version: 1 } },
    } as unknown as Inbound);
  return { steps, asked, run };
}

test.each(REFS)('a completion is decided, recorded and vetted as what it completes is: %j', async (ref, offer) => {
  const { steps, asked, run } = world({ kind: 'allow' });
  expect((await run(ref)).result).toEqual({ completion: { values: ['a'] } });
  expect(steps).toEqual(['recorded', 'sent', 'ok']);
  expect(asked).toEqual([offer]);
});

test.each(REFS)('what may not be used is not completed: %j', async (ref) => {
  const { steps, run } = world({ kind: 'deny', code: 'denied', reason: 'no' });
  await expect(run(ref)).rejects.toMatchObject({ code: 'denied' });
  expect(steps).toEqual(['denied']);
});

test('no record, no completion', async () => {
  const { steps, run } = world({ kind: 'allow' }, true);
  await expect(run(REFS[0][0])).rejects.toMatchObject({ code: 'unrecorded' });
  expect(steps).toEqual(['failed']);
});
