import { expect, test } from 'vitest';
import { toCall } from '../../test/sample-call.ts';
import { toInbound } from '../../test/sample-relay.ts';
import type { View } from '../catalog/contract.ts';
import type { Artifact } from '../core/artifact.ts';
import { FaultError } from '../core/errors.ts';
import { silentLog } from '../core/log.ts';
import { Answer } from '../core/message.ts';
import { ANYONE, type Principal } from '../core/principal.ts';
import { createLargeResults, type LargeResultPorts, mayRead } from './large-results.ts';

const ALICE: Principal = { ...ANYONE, id: 'key:1', kind: 'key', agent: 'app' };
const OWN: Artifact = {
  id: `ar_${'0'.repeat(32)}`,
  owner: { principal: 'key:1', agent: 'app', run: 'r1' },
  ...{ endpoint: 'all', upstream: 'web', tool: 'get', publicName: 'web_get', callId: 'c', labels: undefined },
  ...{
    form: 'text',
    mimeType: 'text/plain',
    bytes: 1,
    characters: 1,
    lines: 0,
    blocks: [0, 0],
    createdAt: 0,
    expiresAt: 1,
  },
};

interface Case {
  readonly principal?: Principal;
  readonly run?: string;
  readonly artifact?: Partial<Artifact>;
  readonly view?: () => Partial<View>;
}

const SEES: Partial<View> = { hiddenTool: () => undefined, reaches: () => true };

function reads({ principal = ALICE, run = 'r1', artifact = {}, view = () => SEES }: Case) {
  const inbound = toInbound('tools/call', {}, principal);
  const viewOf = () => view() as View;
  return mayRead({ viewOf }, { inbound, run, artifact: { ...OWN, ...artifact } });
}

const OPEN = { principal: ANYONE, artifact: { owner: { principal: 'anyone', agent: '', run: 'r1' } } };
const NOBODY = { ...ALICE, id: '', agent: '' };

test.each<[string, Case]>([
  ['the caller, in the run that got it', {}],
  ['the caller, in another run', { run: 'r2' }],
  ['somebody without a credential, in the run that got it', OPEN],
  ['the caller, on a bundle where it got it', { artifact: { endpoint: 'bundle b' } }],
])('may read: %s', async (_name, given) => {
  expect(await reads(given)).toBe(true);
});

test.each<[string, Case]>([
  ['another caller', { principal: { ...ALICE, id: 'key:2' } }],
  ['another caller that names the run', { principal: { ...ALICE, id: 'key:2' }, run: 'r1' }],
  ['another program of the same principal', { principal: { ...ALICE, agent: 'other' } }],
  ['somebody without a credential, in another run', { ...OPEN, run: 'r2' }],
  [
    'somebody whose id is empty, of what has no owner',
    { principal: NOBODY, artifact: { owner: { principal: '', agent: '', run: 'r1' } } },
  ],
  ['a caller that may not use the tool any longer', { view: () => ({ ...SEES, hiddenTool: () => ({}) as never }) }],
  ['a caller that may use nothing of the server any longer', { view: () => ({ ...SEES, reaches: () => false }) }],
  [
    'a caller that the endpoint is not there for',
    {
      view: () => {
        throw new FaultError('not_found', 'no');
      },
    },
  ],
  ['an endpoint that is none', { artifact: { endpoint: 'server web' } }],
])('may not read: %s', async (_name, given) => {
  expect(await reads(given)).toBe(false);
});

function open(save: () => Promise<never>) {
  const settings = { characters: 2_000, tokens: 0, binaryBytes: 0, rules: [] };
  const artifacts = { store: 'files', encrypted: true, keepMinutes: 1, maxMb: 1 } as const;
  return createLargeResults({
    store: { save } as unknown as LargeResultPorts['store'],
    settings: () => ({ ...settings, artifacts }),
    checker: { validate: () => ({ kind: 'valid' }) },
    labelsOf: () => undefined,
    noteRead() {},
    viewOf: () => SEES as View,
    log: silentLog,
  });
}

const LARGE = Answer.result('1', { content: [{ type: 'text', text: 'word '.repeat(2_000) }] });

test('where the disk is full the result says that the tool ran and what is lost', async () => {
  const results = open(() =>
    Promise.reject(new FaultError('overloaded', 'The whole result is not stored: the disk is full.')),
  );
  const fitted = await results.fit(toCall(), LARGE);
  const text = JSON.stringify(fitted?.answer.result);
  expect(text).toContain('The tool ran');
  expect(text).toContain('The whole result is not stored: the disk is full.');
  expect(text).not.toContain('resource_link');
  expect(fitted?.answer.result?.['isError']).toBeUndefined();
  expect(results.isHolder(toCall().client)).toBe(false);
});

test('what fits, errors, and results of the endpoint of one server go on as they are', () => {
  const results = open(() => Promise.reject(new Error('nothing is saved')));
  expect(results.fit(toCall(), Answer.result('1', { content: [] }))).toBeUndefined();
  expect(results.fit(toCall(), Answer.error('1', -1, 'x'.repeat(9_000)))).toBeUndefined();
  expect(results.fit({ ...toCall(), endpoint: { kind: 'server', name: 'web' } }, LARGE)).toBeUndefined();
});
