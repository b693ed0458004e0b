import { readFileSync } from 'node:fs';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { type Api, type ApiResult, withApi } from './api.ts';
import { AUDIT_FLAGS, auditPlace } from './audit-place.ts';
import { type Command, type Input, isSet, type Output, textOption } from './command.ts';

/** Something was bent. */
const BAD = 1;

export const auditVerify: Command = {
  name: 'audit verify',
  summary: 'prove that no record was changed, cut, moved or put in',
  options: [
    ...AUDIT_FLAGS,
    { flags: '--key <file>', meaning: 'public key of the seals (PEM) instead of the key in the state directory' },
    { flags: '--expect <chain:seq:hash>', meaning: 'a state that was printed before and must still be part of it' },
    { flags: '--anchor <file>', meaning: 'heads that were published (audit.anchor) and must still be part of it' },
    { flags: '--public-key', meaning: 'print the public key (PEM), to verify elsewhere, and do nothing else' },
  ],
  example: 'sallyport audit verify',
  run(input) {
    // In this process: a program that is asked whether its own record is good is no witness.
    return withApi(input, (api) => verify(input, api), { ...auditPlace(input), here: true });
  },
};

const NO_DATABASE =
  'The database knows nothing of this audit: an older copy of it, or one without its last records, may look good.';
const NO_ANCHOR =
  'Without an anchor nobody can tell whether files and database were put back together (audit.anchor, docs/audit.md).';

async function verify(input: Input, api: Api): Promise<Output> {
  if (isSet(input.options, 'publicKey')) {
    const { publicKey } = await api.call('showAuditKey', {});
    return { value: { publicKey }, text: publicKey };
  }
  const query = { key: readKey(input), expect: textOption(input.options, 'expect') };
  const report = await api.call('verifyAudit', { query });
  return {
    value: report as unknown as JsonObject, // read from JSON
    text: report.chains.map(describe).join('\n'),
    remarks: [
      ...(report.chains.length === 0 ? [`There is no audit in ${report.directory}.`] : []),
      ...(report.database ? [] : [NO_DATABASE]),
      ...(report.anchor === null ? [NO_ANCHOR] : []),
    ],
    exit: report.ok ? 0 : BAD,
  };
}

function readKey({ options }: Input): string | undefined {
  const file = textOption(options, 'key');
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new FaultError('config', `The seal key ${file} cannot be read.`, { cause });
  }
}

type Chain = ApiResult<'verifyAudit'>['chains'][number];

function describe({ chain, records, first, last, seals, unsealed, killed, bad }: Chain): string {
  if (bad !== null) return `chain ${chain}: BAD, ${bad.problem} (${bad.segment})`;
  const rest = unsealed === 0 ? '' : `, the last ${unsealed} not sealed yet`;
  const ends = killed === 0 ? '' : `, ended ${killed} times by a kill or a power cut`;
  return `chain ${chain}: good, ${records} records (${first} to ${last.seq}), ${seals} seals${rest}${ends}; ends with ${chain}:${last.seq}:${last.hash}`;
}
