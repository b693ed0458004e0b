import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRecords } from '../src/telemetry/audit/read-records.ts';
import { readPublicKey } from '../src/telemetry/audit/sealer.ts';
import { listChains } from '../src/telemetry/audit/segments.ts';
import { type ChainReport, verifyChainFolder } from '../src/telemetry/audit/verify-chain.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { newTestFolder, type RunningGateway } from './running-sallyport.ts';

/** An upstream that writes down the `id` of every call it executes before it answers. */
export interface Witness {
  readonly url: string;
  /** id -> when, `Date.now()`. */
  executed(): Map<string, number>;
}

export async function startWitness(): Promise<Witness> {
  const file = join(newTestFolder(), 'executed');
  const upstream = await startHttpUpstream({
    behave({ method, params }) {
      const given = (params as { readonly arguments?: { readonly id?: string } } | undefined)?.arguments;
      if (method === 'tools/call') appendFileSync(file, `${given?.id} ${Date.now()}\n`);
      return false;
    },
  });
  return {
    url: upstream.url,
    executed() {
      const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
      return new Map(lines.map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]));
    },
  };
}

export interface Load {
  /** The ids of the calls that were answered with a result, in order. */
  readonly answered: readonly string[];
  /** The messages of the refusals. */
  readonly refused: readonly string[];
  /** Fulfilled with the first answer, or when nobody calls any more. */
  readonly begun: Promise<void>;
  /** Ends when no caller calls any more. */
  stop(): Promise<void>;
}

/** Callers that call `up_echo` one call after the other until the gateway is gone or they are stopped. */
export function startLoad(gateway: RunningGateway, label: string, callers: number): Load {
  const client = new PlainClient(gateway);
  const answered: string[] = [];
  const refused: string[] = [];
  let over = false;
  let begin = () => {};
  const first = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const call = async (caller: number): Promise<void> => {
    for (let i = 0; !over; i++) {
      const id = `${label}-${caller}-${i}`;
      const answer = await client.callModern('up_echo', { id }).catch(() => undefined);
      if (answer === undefined) return;
      if (textOf(answer) === 'echo done') answered.push(id);
      else refused.push(answer.error?.message ?? JSON.stringify(answer.result));
      begin();
    }
  };
  const ended = Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  return {
    answered,
    refused,
    begun: Promise.race([first, ended.then(() => undefined)]),
    async stop() {
      over = true;
      await ended;
    },
  };
}

/** Verifies every chain of a state directory as `sallyport audit verify` does. */
export async function verifyAudit(
  stateDir: string,
  { expected, directory = join(stateDir, 'audit') }: { expected?: ChainReport['last']; directory?: string } = {},
): Promise<ChainReport[]> {
  const kept = join(stateDir, 'audit-seal-key');
  // Killed before there was anything to seal.
  if (!existsSync(kept)) return [];
  const key = readPublicKey(readFileSync(kept, 'utf8'));
  const known = expected && [{ ...expected, source: 'the test' }];
  const chains = await listChains(directory);
  return Promise.all(chains.map((chain) => verifyChainFolder(directory, chain, { key, known })));
}

/** Which calls the record knows, by the digest of their arguments; the digest is made here in another way than there. */
export async function readAdmitted(
  stateDir: string,
  directory = join(stateDir, 'audit'),
): Promise<{ has(id: string): boolean; readonly size: number }> {
  const key = Buffer.from(readFileSync(join(stateDir, 'audit-digest-key'), 'utf8').trim(), 'hex');
  const admitted = new Set<unknown>();
  for await (const { value } of readRecords(directory))
    if (value['kind'] === 'admitted') admitted.add(value['arguments']);
  return {
    size: admitted.size,
    has: (id) => admitted.has(toDigest(key, JSON.stringify({ id }))),
  };
}

/** As docs/audit.md describes it. */
function toDigest(key: Buffer, text: string): string {
  const head = Buffer.alloc(72);
  key.copy(head);
  head.writeBigUInt64BE(BigInt(Buffer.byteLength(text)), 64);
  return createHash('sha256').update(head).update(text).digest('base64url');
}
