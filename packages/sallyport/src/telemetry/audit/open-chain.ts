import type { KeyObject } from 'node:crypto';
import type { AuditHeads, KnownChain } from '../../core/audit-heads.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Claim } from './claim-chain.ts';
import { findShorter } from './find-damage.ts';
import { readHead, writeFirstHead } from './head-file.ts';
import { type ChainTail, type Head, recoverChain } from './recover.ts';
import type { Sealer } from './sealer.ts';
import { listSegments } from './segments.ts';
import { verifyChainFolder } from './verify-chain.ts';

export interface OpenChainOptions {
  /** Of the whole audit. */
  readonly directory: string;
  readonly claim: Claim;
  readonly sealer: Sealer;
  readonly key: KeyObject;
  readonly heads: AuditHeads;
  readonly isStrict: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export interface OpenChain {
  readonly tail: ChainTail;
  /** Chain -> what is wrong with it and was not reported before, in words. */
  readonly damage: ReadonlyMap<string, string>;
  /** Nothing may be written until a person has accepted this. */
  readonly held: string | undefined;
}

/** Finds where a chain goes on, and what of this chain and its neighbours is missing since their writers ended. */
export async function openChain(options: OpenChainOptions): Promise<OpenChain> {
  const { claim, heads, key, log, sealer, clock } = options;
  // Before the files: the writers of other chains seal first and tell the database after.
  const known = await readKnown(options);
  const own = known.find(({ chain }) => chain === claim.chain);
  const head = await readHead(claim, key);
  // A person has moved the files away: a new chain begins.
  const isClosed = own?.isAccepted === true && (await listSegments(claim.folder)).length === 0;
  const last = laterOf(head === 'forged' ? undefined : head, isClosed ? undefined : own);
  const tail = await recoverChain(claim.folder, last, clock.now());
  if (tail.torn !== undefined)
    log.warn({ ...tail.torn }, 'the audit ended in half a record, which was cut off and kept beside it');
  const isEmpty = tail.segments.length === 0 && head === undefined;
  // A kill or a power cut must never leave a record without a head, which is what a thief leaves.
  if (isEmpty) await writeFirstHead(claim, sealer, tail);
  // From its first record on: a chain that nobody knows may be removed unseen.
  if (own === undefined) await heads.put(claim.chain, tail).catch((error: unknown) => log.error({ error }, UNKNOWN));
  const damage = await findShorter(
    options.directory,
    known.filter(({ chain, isAccepted }) => chain !== claim.chain && !isAccepted),
  );
  const ownDamage = tail.damage ?? (isEmpty ? undefined : toHeadDamage(head));
  if (ownDamage !== undefined) damage.set(claim.chain, ownDamage);
  const unseen = new Map([...(await findUnseen(options, known, damage)), ...damage]);
  if (own?.isAccepted === true) unseen.delete(claim.chain);
  for (const [chain, words] of unseen) {
    log.error(
      { directory: options.directory, chain, damage: words },
      'the audit is damaged: "sallyport audit verify" names the first bad record, "sallyport audit repair" accepts it',
    );
    await heads.report(chain, words).catch((error: unknown) => log.error({ error }, UNKNOWN));
  }
  const [first] = [...unseen];
  const held = first === undefined || !options.isStrict ? undefined : `chain ${first[0]}: ${first[1]}`;
  return { tail, damage, held };
}

const UNKNOWN = 'the database cannot be asked where the audit ended';

/** @throws FaultError in mode strict, where the database cannot be read: then nobody knows whether records are missing. */
async function readKnown({ heads, isStrict, log }: OpenChainOptions): Promise<readonly KnownChain[]> {
  try {
    return await heads.list();
  } catch (error) {
    if (isStrict) throw error;
    log.error({ error }, UNKNOWN);
    return [];
  }
}

/** What an earlier start reported and nobody has accepted; what was put back since then is no longer among it. */
async function findUnseen(
  { directory, key, heads, log }: OpenChainOptions,
  known: readonly KnownChain[],
  damage: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const unseen = new Map<string, string>();
  for (const { chain, damage: before, ...head } of known) {
    if (before === undefined || damage.has(chain)) continue;
    const { bad } = await verifyChainFolder(directory, chain, { key, known: [{ ...head, source: 'database' }] });
    if (bad !== undefined) unseen.set(chain, before);
    else await heads.report(chain, undefined).catch((error: unknown) => log.error({ error }, UNKNOWN));
  }
  return unseen;
}

function laterOf(head: Head | undefined, known: KnownChain | undefined): Head | undefined {
  return known === undefined || known.seq <= (head?.seq ?? 0) ? head : known;
}

function toHeadDamage(head: Head | 'forged' | undefined): string | undefined {
  if (head === undefined) return 'the head file is missing';
  return head === 'forged' ? 'the head file is not signed with our key for this chain' : undefined;
}
