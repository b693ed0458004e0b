import type { View } from '../catalog/contract.ts';
import { budgetFor, DEFAULT_RESULTS, type ResultBudget, type ResultSettings } from '../config/results-section.ts';
import type { Snapshot } from '../config/settings.ts';
import {
  type Artifact,
  type ArtifactStore,
  BLOCK,
  type NewArtifact,
  toArtifactId,
  toArtifactUri,
} from '../core/artifact.ts';
import type { ByteSource } from '../core/byte-source.ts';
import type { Client } from '../core/client.ts';
import type { Endpoint } from '../core/endpoint.ts';
import type { Envelope, FrozenSnapshot } from '../core/envelope.ts';
import { FaultError, toFault } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Answer } from '../core/message.ts';
import { createPause, type Pause } from '../core/pace.ts';
import type { SchemaChecker } from '../guard/schema/schema-checker.ts';
import { countText, type TextSize } from './fit/count-text.ts';
import { type Budget, fitResult, fits, type Whole } from './fit/fit-result.ts';
import type { LeftOut, Stored } from './fit/say-cut.ts';
import type { Inbound } from './inbound.ts';

export interface LargeResultPorts {
  readonly store: ArtifactStore;
  readonly settings: (snapshot: FrozenSnapshot) => ResultSettings | undefined;
  readonly checker: Pick<SchemaChecker, 'validate'>;
  /** What taint tracking says of a source; `undefined`: nothing is labelled. */
  readonly labelsOf: (snapshot: FrozenSnapshot, upstream: string, tool: string) => number | undefined;
  /** The run has read something of this artifact. */
  readonly noteRead: (run: string, artifact: Artifact) => void | Promise<void>;
  readonly viewOf: (snapshot: Snapshot, endpoint: Endpoint, client: Client) => View | Promise<View>;
  readonly log: Log;
}

export interface FittedAnswer {
  readonly answer: Answer;
  /** For the record. */
  readonly reason: string;
  /** The first that this caller can read parts of, as far as this process knows. */
  readonly isFirst: boolean;
}

/** Results that are larger than their client takes: fitted to its budget, the whole kept for whoever got it. */
export interface LargeResults {
  /** `undefined`, at once or later: it goes on as it is. Never rejects. */
  fit(asked: Envelope, answer: Answer): Promise<FittedAnswer | undefined> | undefined;
  /** Can results of this endpoint be cut? Only where the rest can be read. */
  isOn(snapshot: FrozenSnapshot, endpoint: Endpoint): boolean;
  /** Is there something that the caller can read? As far as this process knows. */
  isHolder(client: Client): boolean;
  /** @throws FaultError `not_found` for what is not there for this caller, whatever the reason */
  open(inbound: Inbound, run: string, named: string): Promise<OpenArtifact>;
}

export interface OpenArtifact {
  readonly artifact: Artifact;
  readonly source: ByteSource;
  close(): Promise<void>;
}

export function createLargeResults(ports: LargeResultPorts): LargeResults & { refresh(): Promise<void> } {
  const { store, settings, log } = ports;
  let holders = new Set<string>();
  const settingsOf = (snapshot: FrozenSnapshot) => settings(snapshot) ?? DEFAULT_RESULTS;
  return {
    isOn: (_snapshot, endpoint) => endpoint.kind !== 'server',
    isHolder: ({ principal }) => holders.has(principal.id),
    async refresh() {
      await store.sweep();
      holders = new Set(await store.holders(MAX_HOLDERS));
    },
    fit(asked, answer) {
      if (asked.kind !== 'call' || asked.endpoint.kind === 'server' || !answer.isResult) return undefined;
      const all = settingsOf(asked.snapshot);
      const budget = toBudget(budgetFor(all, toResultOf(asked)));
      if (fits(answer, budget)) return undefined;
      return fit(ports, { asked, answer, budget, settings: all }).then(
        (fitted) => {
          if (fitted === undefined) return undefined;
          const { id } = asked.client.principal;
          const isFirst = fitted.isStored && !holders.has(id);
          if (isFirst) holders.add(id);
          return { ...fitted, isFirst };
        },
        (error: unknown) => {
          // The tool ran: what is wrong here must not take its result away.
          log.error({ callId: asked.id, error }, 'a large result could not be fitted, and is passed on whole');
          return undefined;
        },
      );
    },
    async open(inbound, run, named) {
      const id = toArtifactId(named);
      const artifact = id === undefined ? undefined : await store.find(id);
      if (artifact === undefined || !(await mayRead(ports, { inbound, run, artifact }))) throw notFound(named);
      const source = await store.open(artifact);
      try {
        await ports.noteRead(run, artifact);
      } catch (error) {
        await source.close();
        throw error;
      }
      return { artifact, source, close: () => source.close() };
    },
  };
}

/** Callers whose artifacts are known at once; others are found when they ask. */
const MAX_HOLDERS = 10_000;

/** One text for every reason: what is another's is not there. */
function notFound(named: string): FaultError {
  return new FaultError(
    'not_found',
    `There is no artifact ${JSON.stringify(named.slice(0, 80))} for this caller. It may have expired.`,
  );
}

/**
 * Only the caller that got the result, or where nobody is known by a credential the run that got it; and only while that
 * caller may still use the tool. An unknown owner means no.
 */
export async function mayRead(
  { viewOf }: Pick<LargeResultPorts, 'viewOf'>,
  { inbound, run, artifact }: { readonly inbound: Inbound; readonly run: string; readonly artifact: Artifact },
): Promise<boolean> {
  const { exchange, snapshot } = inbound;
  const { principal } = exchange.client;
  const { owner } = artifact;
  if (owner.principal === '' || owner.principal !== principal.id || owner.agent !== (principal.agent ?? ''))
    return false;
  if (principal.kind === 'open' && owner.run !== run) return false;
  const endpoint = toEndpoint(artifact.endpoint);
  if (endpoint === undefined) return false;
  try {
    const view = await viewOf(snapshot, endpoint, exchange.client);
    return view.hiddenTool(artifact.publicName) === undefined && view.reaches(artifact.upstream);
  } catch {
    // The endpoint is not there for this caller, or not any longer.
    return false;
  }
}

export function toEndpointText(endpoint: Endpoint): string {
  return endpoint.kind === 'all' ? 'all' : `${endpoint.kind} ${endpoint.name}`;
}

function toEndpoint(text: string): Endpoint | undefined {
  if (text === 'all') return { kind: 'all' };
  return text.startsWith('bundle ') ? { kind: 'bundle', name: text.slice('bundle '.length) } : undefined;
}

function toResultOf({ client, endpoint, upstream, target }: Envelope) {
  const { agent } = client.principal;
  return {
    clients: agent === undefined ? [client.info.name] : [client.info.name, agent],
    bundle: endpoint.kind === 'bundle' ? endpoint.name : undefined,
    server: upstream,
    tool: target,
  };
}

export function toBudget({ characters, tokens, binaryBytes }: ResultBudget): Budget {
  const most = (limit: number) => (limit === 0 ? Number.POSITIVE_INFINITY : limit);
  return { characters: most(characters), tokens: tokens === 0 ? undefined : tokens, binaryBytes: most(binaryBytes) };
}

interface Fitting {
  readonly asked: Envelope;
  readonly answer: Answer;
  readonly budget: Budget;
  readonly settings: ResultSettings;
}

async function fit(ports: LargeResultPorts, { asked, answer, budget, settings }: Fitting) {
  const { checker, log, store } = ports;
  const { tool, client, upstream, target, endpoint, run, publicTarget, snapshot } = asked;
  const pause = createPause();
  const { principal } = client;
  const { artifacts } = settings;
  const limits = {
    keepMs: artifacts.keepMinutes * 60_000,
    maxBytes: artifacts.maxMb * 1_048_576,
    store: artifacts.store,
    isSealed: artifacts.encrypted,
  };
  const keep = async ({ form, mimeType, source }: Whole): Promise<Stored> => {
    const sized = form === 'binary' ? NO_TEXT : await measure(source, pause);
    const about: NewArtifact = {
      owner: { principal: principal.id, agent: principal.agent ?? '', run },
      ...{ endpoint: toEndpointText(endpoint), upstream, tool: target, publicName: publicTarget, callId: asked.id },
      ...{ labels: ports.labelsOf(snapshot, upstream, target), form, mimeType, ...sized },
    };
    try {
      const { id, expiresAt } = await store.save(about, source, limits);
      return { uri: toArtifactUri(id), expiresAt };
    } catch (error) {
      const fault = toFault(error);
      log.error({ callId: asked.id, error: fault.cause ?? error }, 'a large result could not be stored');
      return { problem: fault.message };
    }
  };
  const fitted = await fitResult(answer, budget, {
    keep,
    pause,
    async allows(value) {
      if (tool?.definition['outputSchema'] === undefined) return true;
      return (await checker.validate({ tool, client }, 'outputSchema', value)).kind !== 'invalid';
    },
  });
  return (
    fitted && {
      answer: fitted.answer,
      reason: toReason(fitted.leftOut),
      isStored: fitted.leftOut.some(({ stored }) => 'uri' in stored),
    }
  );
}

const NO_TEXT = { characters: 0, lines: 0, blocks: [] } as const;

/** The length of a text, and what stands before each of its blocks. */
async function measure(
  source: ByteSource,
  pause: Pause,
): Promise<Pick<NewArtifact, 'characters' | 'lines' | 'blocks'>> {
  const size: TextSize = { characters: 0, wide: 0, lines: 0 };
  const blocks: number[] = [];
  for (let at = 0; at < source.size; at += BLOCK) {
    blocks.push(size.characters, size.lines);
    countText(await source.read(at, Math.min(at + BLOCK, source.size)), size);
    await pause();
  }
  return { characters: size.characters, lines: size.lines, blocks };
}

/** What was cut, and where the whole is. Nothing of the result itself. */
function toReason(leftOut: readonly LeftOut[]): string {
  if (leftOut.length === 0) return 'The result is written shorter, without losing anything.';
  const parts = leftOut.map(({ where, bytes, stored }) => {
    const place = 'uri' in stored ? stored.uri.slice(stored.uri.lastIndexOf('/') + 1) : stored.problem;
    return `${where} of ${bytes} bytes: ${place}`;
  });
  return `The result is larger than its client takes. ${parts.slice(0, 8).join('; ')}`;
}
