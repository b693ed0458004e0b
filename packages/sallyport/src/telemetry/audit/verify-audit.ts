import type { KeyObject } from 'node:crypto';
import { FaultError } from '../../core/errors.ts';
import type { Head } from './recover.ts';
import { listChains } from './segments.ts';
import { type ChainReport, type KnownHead, verifyChainFolder } from './verify-chain.ts';

/** A state of one chain that was seen before. */
export interface Expectation extends Head {
  readonly chain: string;
}

/**
 * Checks every chain below a folder, and every other one that somebody knows.
 * @param key whose seals count
 * @param known read before the files: a Sallyport that runs goes on writing
 */
export async function verifyAudit(
  directory: string,
  key: KeyObject,
  known: readonly (KnownHead & Expectation)[],
): Promise<readonly ChainReport[]> {
  const chains = new Set(await listChains(directory));
  for (const { chain, seq, isSigned } of known)
    if (seq > 0 && !chains.has(chain) && isSigned?.() !== false) chains.add(chain);
  const reports: ChainReport[] = [];
  for (const chain of chains) {
    const mine = known.filter((head) => head.chain === chain);
    reports.push(await verifyChainFolder(directory, chain, { key, known: mine }));
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
