import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { readPublicKey, toKeyId, toPem } from '../telemetry/audit/sealer.ts';
import { listChains } from '../telemetry/audit/segments.ts';
import { type ChainReport, verifyChainFolder } from '../telemetry/audit/verify-chain.ts';
import { type Command, type Input, isSet, type Output, textOption } from './command.ts';
import { AUDIT_FLAGS, findAuditDirectory, readSealKey } from './find-audit.ts';

/** Something was bent. */
const BAD = 1;

export const auditVerify: Command = {
  name: 'audit verify',
  summary: 'prove that no record was changed, cut, moved or put in',
  options: [
    ...AUDIT_FLAGS,
    { flags: '--key <file>', meaning: 'public key of the seals (PEM) instead of the key in the state directory' },
    { flags: '--expect <chain:seq:hash>', meaning: 'a state that was printed before and must still be part of it' },
    { flags: '--public-key', meaning: 'print the public key (PEM), to verify elsewhere, and do nothing else' },
  ],
  example: 'sallyport audit verify',
  async run(input) {
    if (isSet(input.options, 'publicKey')) {
      const publicKey = toPem(readSealKey(input));
      return { value: { publicKey }, text: publicKey };
    }
    return verifyAll(input);
  },
};

async function verifyAll(input: Input): Promise<Output> {
  const directory = findAuditDirectory(input);
  const key = readPublicKey(readSealKey(input));
  const expected = readExpectation(textOption(input.options, 'expect'));
  const chains = await listChains(directory);
  const reports: ChainReport[] = [];
  for (const chain of chains) {
    const mine = expected?.chain === chain ? expected : undefined;
    reports.push(await verifyChainFolder(directory, chain, { key, expected: mine }));
  }
  if (expected !== undefined && !chains.includes(expected.chain))
    throw new FaultError('not_found', `There is no chain ${expected.chain} in ${directory}.`);
  const bad = reports.some((report) => report.bad !== undefined);
  return {
    value: { ok: !bad, key: toKeyId(key), directory, chains: reports.map(toJson) },
    text: reports.length === 0 ? '' : reports.map(describe).join('\n'),
    remarks: reports.length === 0 ? [`There is no audit in ${directory}.`] : [],
    exit: bad ? BAD : 0,
  };
}

function readExpectation(text: string | undefined) {
  if (text === undefined) return undefined;
  const [, chain, seq, hash] = /^(\d+):(\d+):([\w-]{43})$/.exec(text) ?? [];
  if (chain === undefined || hash === undefined)
    throw new FaultError('usage', '--expect is chain:seq:hash, as "sallyport audit verify" prints it.');
  return { chain, seq: Number(seq), hash };
}

function toJson({ bad, last, ...rest }: ChainReport): JsonObject {
  return { ...rest, last: { ...last }, bad: bad === undefined ? null : { ...bad } };
}

function describe({ chain, records, first, last, seals, unsealed, bad }: ChainReport): string {
  if (bad !== undefined) return `chain ${chain}: BAD, ${bad.problem} (${bad.segment})`;
  const rest = unsealed === 0 ? '' : `, the last ${unsealed} not sealed yet`;
  return `chain ${chain}: good, ${records} records (${first} to ${last.seq}), ${seals} seals${rest}; ends with ${chain}:${last.seq}:${last.hash}`;
}
