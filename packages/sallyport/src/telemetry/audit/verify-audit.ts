import type { KeyObject } from 'node:crypto';
import { FaultError } from '../../core/errors.ts';
import type { Head } from './recover.ts';
import { listChains } from './segments.ts';
import { type ChainReport, verifyChainFolder } from './verify-chain.ts';

/** A state of one chain that was seen before. */
export interface Expectation extends Head {
  readonly chain: string;
}

/**
 * Checks every chain below a folder.
 * @param key whose seals count
 * @throws FaultError `not_found`: the chain that is expected is not there.
 */
export async function verifyAudit(
  directory: string,
  key: KeyObject,
  expected?: Expectation,
): Promise<readonly ChainReport[]> {
  const chains = await listChains(directory);
  if (expected !== undefined && !chains.includes(expected.chain))
    throw new FaultError('not_found', `There is no chain ${expected.chain} in ${directory}.`);
  const reports: ChainReport[] = [];
  for (const chain of chains) {
    const mine = expected?.chain === chain ? expected : undefined;
    reports.push(await verifyChainFolder(directory, chain, { key, expected: mine }));
  }
  return reports;
}

/** @param text `chain:seq:hash`, as `audit verify` prints it. @throws FaultError `usage`. */
export function readExpectation(text: string): Expectation {
  const [, chain, seq, hash] = /^(\d{1,3}):(\d{1,16}):([\w-]{43})$/.exec(text) ?? [];
  if (chain === undefined || hash === undefined)
    throw new FaultError('usage', 'What is expected is written chain:seq:hash, as "sallyport audit verify" prints it.');
  return { chain, seq: Number(seq), hash };
}
