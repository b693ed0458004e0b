import { randomBytes } from 'node:crypto';
import type { Audit, AuditEnd, AuditSubject } from '../../core/audit.ts';
import type { AuditHeads } from '../../core/audit-heads.ts';
import type { Tool } from '../../core/call.ts';
import type { Client } from '../../core/client.ts';
import type { Clock } from '../../core/clock.ts';
import type { TakeFileLock } from '../../core/file-lock.ts';
import { isHexKey } from '../../core/hex-key.ts';
import type { Log } from '../../core/log.ts';
import type { Note } from '../../core/note.ts';
import { PairCache } from '../../core/pair-cache.ts';
import type { PolicyDecision } from '../../core/policy-decision.ts';
import type { Post } from '../../core/post.ts';
import type { Principal } from '../../core/principal.ts';
import { writeMilliseconds } from '../milliseconds.ts';
import { quote } from '../quote.ts';
import { toSafeJson, toSafeName } from '../redact-fields.ts';
import { createPublish } from './anchor.ts';
import { claimChain } from './claim-chain.ts';
import { HeadOutlet } from './head-outlet.ts';
import { createHideValues, type HideValues, KEEP_VALUES } from './hide-values.ts';
import { createKeyedDigest, type KeyedDigest } from './keyed-digest.ts';
import { openChain } from './open-chain.ts';
import { NO_DIGEST } from './record-line.ts';
import type { PushOptions } from './record-queue.ts';
import type { Head } from './recover.ts';
import { findRetired } from './retire.ts';
import { createSealer, makeSealKey, readPublicKey, type Sealer } from './sealer.ts';
import { toFault } from './waiters.ts';
import { AuditWriter } from './writer.ts';

/** In the state directory: what signs the seals, and what keys the digests. */
export const SEAL_KEY_FILE = 'audit-seal-key';
export const DIGEST_KEY_FILE = 'audit-digest-key';

/** How often old segments are looked for. Milliseconds. */
const RETIRE_MS = 3_600_000;

export interface AuditOptions {
  readonly directory: string;
  readonly mode: 'strict' | 'batched';
  readonly withinMs: number;
  readonly segmentBytes: number;
  readonly values: 'digest' | 'full';
  readonly keepDays: number;
  /** The secret of this name, made by `make` when there is none. */
  readonly secret: (name: string, make: () => string, isWhole?: (text: string) => boolean) => Promise<string>;
  /** Where heads are published: `file:`, `command:` or a URL; `undefined`: nowhere. */
  readonly anchor: string | undefined;
  readonly post: Post;
  /** What is known of the chains beside their files. */
  readonly heads: AuditHeads;
  /** Keeps every other program out of the chain. */
  readonly lock: TakeFileLock;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface OpenAudit extends Audit {
  /** Puts an event that is no call into the record, e.g. a decision of a person. Never throws. */
  note(kind: string, members: Readonly<Record<string, string | number | boolean>>): void;
  /** The same for what is done only once it is on disk. */
  readonly noteKept: Note;
  /** Fulfilled when every record up to now can be read. */
  written(): Promise<void>;
  /** False: the last head could not be published. */
  isPublished(): boolean;
  close(): Promise<void>;
}

/** Opens a chain of its own below the directory, goes on where it ended, and says what was found there. */
export async function openAudit(options: AuditOptions): Promise<OpenAudit> {
  const { directory, log, clock, mode } = options;
  const sealKey = await options.secret(SEAL_KEY_FILE, makeSealKey);
  const digestKey = await options.secret(DIGEST_KEY_FILE, () => randomBytes(32).toString('hex'), isHexKey);
  const claim = claimChain(directory, options.lock);
  const sealer = createSealer(sealKey);
  const { tail, damage, held } = await openChain({
    ...{ directory, claim, sealer, clock, log, heads: options.heads },
    key: readPublicKey(sealKey),
    isStrict: mode === 'strict',
  });
  const outlets = createOutlets(options, { chain: claim.chain, sealer });
  const digest = createKeyedDigest(Buffer.from(digestKey, 'hex'));
  const writer = new AuditWriter({
    ...claim,
    ...{ tail, held, sealer, digest, clock, log },
    segmentBytes: options.segmentBytes,
    withinMs: mode === 'strict' ? 0 : options.withinMs,
    sealed: (head) => outlets.tell(head),
  });
  const audit = createAudit(writer, { ...options, digest });
  audit.note('start', { version: options.version, pid: process.pid, mode, key: sealer.keyId });
  if (tail.torn !== undefined)
    audit.note('cut', { segment: tail.torn.segment, bytes: tail.torn.bytes, kept: tail.torn.kept });
  for (const [chain, reason] of damage) audit.note('damaged', { chain, reason });
  const retire = async (): Promise<void> => {
    const retired = await findRetired(claim.folder, options.keepDays, clock.now());
    if (retired === undefined) return;
    const { names, upTo, hash } = retired;
    const members = JSON.stringify({ upTo, hash, segments: names.length }).slice(1);
    writer.appendSigned(`"time":"${new Date(clock.now()).toISOString()}","kind":"retired",${members}`);
    await writer.written();
    writer.forget(names);
  };
  const retireNow = (): void => {
    retire().catch((error: unknown) => log.warn({ error }, 'old segments of the audit could not be deleted'));
  };
  retireNow();
  const timer = setInterval(retireNow, RETIRE_MS).unref();
  let closing = false;
  return {
    ...audit,
    isPublished: outlets.isPublished,
    close() {
      clearInterval(timer);
      if (!closing) audit.note('stop', {});
      closing = true;
      return writer
        .close()
        .then(() => outlets.close())
        .finally(() => claim.release());
    },
  };
}

/** How often the database learns where the chain is sealed: a commit is a sync, and the loop waits for it. Milliseconds. */
const DATABASE_MS = 10_000;
/** How often it is published. Milliseconds. */
const ANCHOR_MS = 60_000;

/** Where the chain is sealed, told to those out of reach of whoever can write its files. */
function createOutlets(
  { heads, anchor, post, clock, log }: AuditOptions,
  { chain, sealer }: { readonly chain: string; readonly sealer: Sealer },
) {
  const database = new HeadOutlet({
    everyMs: DATABASE_MS,
    send: (head) => heads.put(chain, head),
    failed: (error) => log.warn({ error, chain }, 'the database could not be told where the audit is sealed'),
  });
  const publish = anchor === undefined ? undefined : createPublish(anchor, post);
  const published =
    publish &&
    new HeadOutlet({
      everyMs: ANCHOR_MS,
      send: ({ seq, hash }) => {
        const time = new Date(clock.now()).toISOString();
        return publish(sealer.seal(JSON.stringify({ time, chain, seq, hash, key: sealer.keyId })));
      },
      failed: (error) => log.error({ error, chain }, 'the head of the audit could not be published (audit.anchor)'),
    });
  return {
    tell(head: Head): void {
      database.tell(head);
      published?.tell(head);
    },
    isPublished: () => published?.isTroubled !== true,
    async close(): Promise<void> {
      await database.close();
      await published?.close();
    },
  };
}

type Recorder = Pick<AuditOptions, 'mode' | 'values' | 'clock'> & { readonly digest: KeyedDigest };

/** Turns requests and their ends into records. By concatenation: every call pays for two. */
function createAudit(
  writer: Pick<AuditWriter, 'append' | 'trouble' | 'inTime' | 'handedOver' | 'written' | 'refuse'>,
  { mode, values, digest, clock }: Recorder,
): Omit<OpenAudit, 'close' | 'isPublished'> {
  const toEnd: ValueWriter = values === 'full' ? toFullValue(digest) : toLaterDigest;
  const hidden = values === 'full' ? KEEP_VALUES : createHideValues(digest);
  const now = createIsoClock(clock);
  const note: OpenAudit['note'] = (kind, members) => {
    const rest = Object.entries(members).map(([name, value]) => `,"${name}":${JSON.stringify(value)}`);
    writer.append(`"time":"${now()}","kind":"${kind}"${rest.join('')}}`);
  };
  return {
    admit(subject, args) {
      const { trouble } = writer;
      if (trouble !== undefined) throw toFault(trouble);
      const { text, options } = toEnd('arguments', args);
      writer.append(
        `"time":"${now()}","kind":"admitted"${toWho(subject, hidden)}` +
          `${toFacts(subject, hidden)}${optional('verdict', subject.verdict)}${optional('guard', subject.guard)}${optional('reason', subject.reason && hidden.reason(subject.reason, subject))}${text}}`,
        options,
      );
      subject.admitted = true;
      // The stated time holds for every record: while the disk cannot keep it, calls wait for the disk.
      return mode === 'batched' && writer.inTime ? writer.handedOver() : writer.written();
    },
    finish(subject, end, result) {
      if (!subject.admitted && writer.trouble !== undefined) {
        writer.refuse();
        return;
      }
      const { text, options } = toEnd('result', result);
      writer.append(
        `"time":"${now()}","kind":"${subject.admitted ? 'outcome' : 'denied'}"${toWho(subject, hidden)}${subject.admitted ? '' : toFacts(subject, hidden)}${toOutcome(end, subject, hidden)}` +
          `${toDecision('release', subject, hidden)}${text}}`,
        options,
      );
    },
    note,
    trouble: () => writer.trouble,
    written: () => writer.written(),
    async noteKept(kind, members) {
      const { trouble } = writer;
      if (trouble !== undefined) throw toFault(trouble);
      note(kind, members);
      await writer.written();
    },
  };
}

/** Both records of a call say it. */
function toWho(subject: AuditSubject, hidden: HideValues): string {
  return `,"callId":"${subject.callId}"${optional('script', subject.script)}${toNames(subject, hidden)}${optional('approval', subject.approval)}${optional('notValidated', subject.notValidated)}`;
}

const names = new PairCache<Client, Tool, string>();

/** Who called what. A client calls a tool many times: that part of the line is written once. */
function toNames(subject: AuditSubject, hidden: HideValues): string {
  const { client, tool } = subject;
  if (tool === undefined) return writeNames(subject, hidden);
  let text = names.get(client, tool);
  if (text === undefined) {
    text = writeNames(subject, hidden);
    names.set(client, tool, text);
  }
  return text;
}

function writeNames({ method, client, upstream, target, tool }: AuditSubject, hidden: HideValues): string {
  // Tools are named by their servers, the rest by whoever asks.
  const toNamed = (name: string) => (tool === undefined ? toSafeName(name) : name);
  const named = target === undefined ? undefined : toNamed(tool === undefined ? hidden.target(target, method) : target);
  return `,"method":${quote(toNamed(method))}${toClient(client)}${optional('upstream', upstream)}${optional('tool', named)}`;
}

function toOutcome(
  { outcome, guard, reason: given, ms, resultBytes }: AuditEnd,
  subject: AuditSubject,
  hidden: HideValues,
): string {
  const said = given && hidden.reason(given, subject);
  // What is wrong with a request may quote it: an unknown name, a malformed cursor.
  const reason = said === undefined || guard !== undefined ? said : toSafeName(said);
  return `,"outcome":"${outcome}"${optional('guard', guard)}${optional('reason', reason)},"ms":${writeMilliseconds(ms)},"resultBytes":${resultBytes}`;
}

const clients = new WeakMap<Client, string>();

/** A client makes many calls: its part of the line is written once. */
function toClient(client: Client): string {
  let text = clients.get(client);
  if (text === undefined) {
    const { id, kind, person, agent, account, actors } = client.principal;
    text = `,"principal":{"id":${quote(id)},"kind":"${kind}"${optional('person', person)}${optional('agent', agent)}${optional('account', account)}`;
    if (actors !== undefined) text += `,"actors":[${actors.map(quote).join(',')}]`;
    text += `},"client":{"name":${quote(client.info.name)},"version":${quote(client.info.version)}}`;
    clients.set(client, text);
  }
  return text;
}

/** What decided, and what it was decided from: in the first record of a request, so that it can be explained and tried under other rules. */
function toFacts(subject: AuditSubject, hidden: HideValues): string {
  const { client, tool, digest, snapshotVersion, requestBytes, policy, isEnforced } = subject;
  const mode = policy === undefined || isEnforced ? '' : ',"policyMode":"shadow"';
  return (
    `${optional('toolDigest', digest)},"snapshot":${snapshotVersion},"requestBytes":${requestBytes}` +
    toRights(client.principal) +
    (tool === undefined ? '' : toTraits(tool)) +
    `${toDecision('policy', subject, hidden)}${mode}${toDecision('candidate', subject, hidden)}`
  );
}

const rights = new WeakMap<Principal, string>();

function toRights(principal: Principal): string {
  let text = rights.get(principal);
  if (text === undefined) {
    const { groups, scopes, attributes } = principal;
    const held = { ...(groups.length > 0 ? { groups } : {}), scopes, attributes };
    const written = JSON.stringify(held);
    text = written === '{}' ? '' : `,"rights":${written}`;
    rights.set(principal, text);
  }
  return text;
}

const traits = new WeakMap<Tool, string>();

/** Of a tool: the hints that were approved, and its effects. */
function toTraits(tool: Tool): string {
  let text = traits.get(tool);
  if (text === undefined) {
    const { approvedHints, sinks } = tool;
    const hints = Object.entries(approvedHints).filter(
      ([name, value]) => HINTS.has(name) && typeof value === 'boolean',
    );
    text = hints.length === 0 ? '' : `,"hints":${JSON.stringify(Object.fromEntries(hints))}`;
    if (sinks.length > 0) text += `,"sinks":${JSON.stringify(sinks)}`;
    traits.set(tool, text);
  }
  return text;
}

const HINTS: ReadonlySet<string> = new Set(['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']);

const decisions = new WeakMap<PolicyDecision, string>();

/** Decisions that do not depend on the call are kept, and their text with them. */
function toDecision(name: 'policy' | 'candidate' | 'release', subject: AuditSubject, hidden: HideValues): string {
  const decision = subject[name];
  if (decision === undefined) return '';
  let text = decisions.get(decision);
  if (text === undefined) {
    const { reason, ...rest } = decision;
    const shown = reason === '' ? reason : hidden.reason(reason, subject);
    text = JSON.stringify(shown === '' ? rest : { ...decision, reason: shown });
    // A reason that quotes a request is another one for the next.
    if (shown === reason) decisions.set(decision, text);
  }
  return `,"${name}":${text}`;
}

function optional(name: string, text: string | undefined): string {
  return text === undefined ? '' : `,"${name}":${quote(text)}`;
}

/** How a record ends: with the digest of what was given, or what came back. */
interface RecordEnd {
  readonly text: string;
  readonly options?: PushOptions;
}

type ValueWriter = (name: string, value: Buffer | undefined) => RecordEnd;

const NOTHING: RecordEnd = { text: '' };

function toLaterDigest(name: string, value: Buffer | undefined): RecordEnd {
  return value === undefined ? NOTHING : { text: `,"${name}":"${NO_DIGEST}"`, options: { value } };
}

/** Larger values stand as their digest only. Bytes. */
const MAX_VALUE = 65_536;

/** The operator asked for values: written with what looks like a secret masked, beside the digest. */
function toFullValue(digest: KeyedDigest): ValueWriter {
  return (name, value) => {
    if (value === undefined || value.length > MAX_VALUE) return toLaterDigest(name, value);
    return { text: `,"${name}":"${digest(value)}","${name}Value":${toSafeJson(value.toString('utf8'))}` };
  };
}

function createIsoClock(clock: Clock): () => string {
  let at = Number.NaN;
  let text = '';
  return () => {
    const now = clock.now();
    if (now !== at) {
      at = now;
      text = new Date(now).toISOString();
    }
    return text;
  };
}
