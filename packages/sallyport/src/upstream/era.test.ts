import { describe, expect, it } from 'vitest';
import { FaultError } from '../core/errors.ts';
import { Answer } from '../core/message.ts';
import {
  judgeDiscover,
  judgeInitialize,
  looksLikeOtherEra,
  type Outcome,
  toFailedOutcome,
  toOutcome,
  type Verdict,
} from './era.ts';

const modern: Verdict = { kind: 'modern', revision: '2026-07-28' };
const error = (code: number, supported?: string[]): Outcome => ({ kind: 'error', code, supported });

describe('the era of a server', () => {
  it.each<[string, Outcome, Verdict]>([
    ['a DiscoverResult', { kind: 'result', versions: ['2026-07-28'] }, modern],
    ['one that also speaks older revisions', { kind: 'result', versions: ['2025-11-25', '2026-07-28'] }, modern],
    ['one of legacy revisions only', { kind: 'result', versions: ['2025-11-25'] }, { kind: 'legacy' }],
    ['one of unknown revisions only', { kind: 'result', versions: ['2031-01-01'] }, { kind: 'incompatible' }],
    ['a result that is none', { kind: 'result', versions: undefined }, { kind: 'legacy' }],
    ['method not found', error(-32601), { kind: 'legacy' }],
    ['invalid params', error(-32602), { kind: 'legacy' }],
    ['a server error', error(-32000), { kind: 'legacy' }],
    ['an unsupported version, ours offered', error(-32022, ['2026-07-28']), modern],
    ['an unsupported version, legacy offered', error(-32022, ['2025-11-25']), { kind: 'legacy' }],
    ['an unsupported version, nothing we know', error(-32022, ['2031-01-01']), { kind: 'incompatible' }],
    ['an unsupported version, nothing offered', error(-32022), { kind: 'incompatible' }],
    ['a header mismatch', error(-32020), { kind: 'incompatible' }],
    ['a missing capability', error(-32021), { kind: 'incompatible' }],
    ['400', { kind: 'refused', status: 400 }, { kind: 'legacy' }],
    ['404', { kind: 'refused', status: 404 }, { kind: 'legacy' }],
    ['500', { kind: 'refused', status: 500 }, { kind: 'legacy' }],
    ['a web page', { kind: 'nonsense' }, { kind: 'legacy' }],
    ['silence', { kind: 'silent' }, { kind: 'unknown' }],
    ['death', { kind: 'died' }, { kind: 'unknown' }],
    ['401', { kind: 'unauthenticated' }, { kind: 'stop' }],
    ['nobody there', { kind: 'unreachable' }, { kind: 'stop' }],
  ])('after server/discover: %s', (_name, outcome, verdict) => {
    expect(judgeDiscover(outcome)).toEqual(verdict);
  });

  it.each<[Outcome, Verdict['kind']]>([
    [{ kind: 'result', versions: undefined }, 'legacy'],
    [error(-32601), 'unknown'],
    [error(-32022, ['2026-07-28']), 'unknown'],
    [{ kind: 'refused', status: 405 }, 'unknown'],
    [{ kind: 'nonsense' }, 'unknown'],
    [{ kind: 'silent' }, 'unknown'],
    [{ kind: 'died' }, 'unknown'],
    [{ kind: 'unauthenticated' }, 'stop'],
    [{ kind: 'unreachable' }, 'stop'],
  ])('after initialize: %j', (outcome, kind) => {
    expect(judgeInitialize(outcome).kind).toBe(kind);
  });

  it.each<[string, FaultError | Error, Outcome]>([
    [
      'a refusing status',
      new FaultError('upstream_protocol', '', { data: { status: 405 } }),
      { kind: 'refused', status: 405 },
    ],
    ['a wrong content type', new FaultError('upstream_protocol', '', { data: { status: 200 } }), { kind: 'nonsense' }],
    ['an answer that broke off', new FaultError('upstream_protocol', ''), { kind: 'nonsense' }],
    ['a deadline', new FaultError('timeout', ''), { kind: 'silent' }],
    ['a dead child', new FaultError('unreachable', ''), { kind: 'died' }],
    ['a reset connection', new FaultError('unreachable', '', { data: { step: 'talking' } }), { kind: 'died' }],
    [
      'a refused connection',
      new FaultError('unreachable', '', { data: { step: 'connecting' } }),
      { kind: 'unreachable' },
    ],
    ['503', new FaultError('unreachable', '', { data: { status: 503 } }), { kind: 'unreachable' }],
    ['401', new FaultError('upstream_unauthenticated', '', { data: { status: 401 } }), { kind: 'unauthenticated' }],
    ['a fault of our own', new Error('bug'), { kind: 'unreachable' }],
  ])('reads %s', (_name, fault, outcome) => {
    expect(toFailedOutcome(fault)).toEqual(outcome);
  });

  it('reads answers, whatever shape their data has', () => {
    expect(toOutcome(Answer.result('1', { supportedVersions: ['a', 7] }))).toEqual({ kind: 'result', versions: ['a'] });
    expect(toOutcome(Answer.result('1', {}))).toEqual({ kind: 'result', versions: undefined });
    expect(toOutcome(Answer.error('1', -32022, '', { supported: ['x'] }))).toEqual(error(-32022, ['x']));
    expect(toOutcome(Answer.error('1', -32022, '', 'x'))).toEqual(error(-32022, undefined));
  });

  it.each<[string, 'legacy' | 'modern', string, boolean]>([
    ['a tool error', 'legacy', '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":""}}', false],
    [
      'a missing header',
      'legacy',
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"Header mismatch: Mcp-Method is missing"}}',
      true,
    ],
    ['an own code like it', 'legacy', '{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"sold out"}}', false],
    ...(['legacy', 'modern'] as const).flatMap<[string, 'legacy' | 'modern', string, boolean]>((era) => [
      [
        'an unsupported version',
        era,
        '{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"","data":{"supported":["2025-11-25"]}}}',
        true,
      ],
      ['an own code like it', era, '{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"sold out"}}', false],
    ]),
    ['no session', 'modern', '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":""}}', true],
    ['an old code with an id', 'modern', '{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":""}}', false],
    ['a result', 'modern', '{"jsonrpc":"2.0","id":1,"result":{}}', false],
  ])('doubts the era after %s from a %s server: %s', async (_name, era, text, doubt) => {
    const { parseMessage } = await import('../core/message.ts');
    expect(looksLikeOtherEra(era, parseMessage(Buffer.from(text)) as Answer)).toBe(doubt);
  });
});
