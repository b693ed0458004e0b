import type { Snapshot } from '../../config/settings.ts';
import type { CallNotes } from '../../core/call.ts';
import type { Envelope } from '../../core/envelope.ts';
import type { FailureCode } from '../../core/errors.ts';
import type { Finding } from '../../core/finding.ts';
import type { NameAnswers } from '../../core/name-port.ts';
import type { ShownDefinition } from '../../core/shown-definitions.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { HiddenSecrets, HideOptions } from '../approve/hide-secrets.ts';
import type { KeptSecret } from '../secrets/vault.ts';
import type { SourceKind } from '../sources/source-kind.ts';
import type { Marks } from '../taint/labels.ts';
import type { Prints, Remembered, Source } from '../taint/taint-ports.ts';

/** An envelope as it is sent to a thread: what is no data stays here. */
export type SentEnvelope = Omit<Envelope, 'snapshot' | 'shown' | 'notes' | 'asked'>;

/** The parts of a configuration by which texts are read. */
export type ReadSnapshot = Pick<
  Snapshot,
  'version' | 'servers' | 'argumentSafety' | 'scan' | 'secrets' | 'taint' | 'plans' | 'sinks'
>;

/** What a thread is told of a message and of where it comes from, since only the main thread knows. */
export interface ReadFacts {
  readonly source: SourceKind;
  readonly isReleased: boolean;
  /** Under which number the thread has the definitions that the caller was shown, and they where it does not have them. */
  readonly shown: { readonly id: number; readonly all: readonly ShownDefinition[] | undefined } | undefined;
}

export interface RawBody {
  readonly id: number;
  readonly bytes: SharedArrayBuffer;
}

export interface ReadRequest {
  readonly kind: 'read';
  /** Name of the guard that judges. */
  readonly guard: string;
  /** No guard judges: the secrets of the arguments are hidden for the person who is asked about them. */
  readonly hide: HideOptions | undefined;
  /** The time for reading is over: it says what is decided then. */
  readonly isLate: boolean;
  /** JSON text of the body, and a number that is the same for the same bytes. Left out: the envelope has it. */
  readonly raw: RawBody | undefined;
  readonly envelope: SentEnvelope;
  /** The same of the request that is answered. */
  readonly askedRaw: RawBody | undefined;
  readonly asked: SentEnvelope | undefined;
  readonly version: number;
  /** Snapshots and lists of definitions before this one are not named again. */
  readonly forget: boolean;
  /** Left out: the thread has it. */
  readonly snapshot: ReadSnapshot | undefined;
  /** What the configuration says, as one text. Comes with the snapshot. */
  readonly configured: string | undefined;
  readonly facts: ReadFacts;
}

export type ReadReply =
  | {
      readonly kind: 'judged';
      /** Without the value of a rewrite, which comes as JSON text. */
      readonly verdict: Verdict;
      readonly value: Uint8Array | undefined;
      readonly notes: Partial<CallNotes>;
    }
  | { readonly kind: 'hidden'; readonly hidden: HiddenSecrets }
  /** The guard failed; with a fault, where it is one. */
  | { readonly kind: 'broken'; readonly message: string; readonly code: FailureCode | undefined };

/** What a thread starts with. */
export interface ReadWorkerData {
  /** Key of the fingerprints. */
  readonly printKey: Uint8Array;
  readonly home: string;
}

/** What a thread asks of the main thread, where state is, by name. Each is a small piece of work. */
export interface ReadPorts {
  marksOf(run: string): Marks | Promise<Marks>;
  recall(run: string, prints: Prints): SentRecall | undefined | Promise<SentRecall | undefined>;
  remember(run: string, what: readonly Remembered[]): void | Promise<void>;
  keepSecrets(owner: string, secrets: readonly KeptSecret[]): readonly string[] | Promise<readonly string[]>;
  findSecrets(
    owner: string,
    ids: readonly string[],
  ): readonly (KeptSecret | undefined)[] | Promise<readonly (KeptSecret | undefined)[]>;
  lookUp(names: readonly string[]): Promise<NameAnswers>;
  keepResult(findings: readonly Finding[]): Promise<string | undefined>;
  judgeResult(
    about: { readonly tool?: string; readonly item?: string },
    findings: readonly Finding[],
  ): Promise<'suspicious' | 'unsure'> | undefined;
  noteFlow(reason: string): void;
}

export interface ReadQuestion {
  readonly port: keyof ReadPorts;
  readonly args: readonly unknown[];
}

/** A recall without methods: only the prints that are known. */
export interface SentRecall {
  readonly marks: Marks;
  readonly origins: readonly string[];
  readonly isFull: boolean;
  readonly known: ReadonlyMap<number, { readonly marks: Marks; readonly source: Source | undefined }>;
}
