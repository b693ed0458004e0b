import type { Envelope } from '../../../core/envelope.ts';
import type { Finding } from '../../../core/finding.ts';
import type { JsonObject } from '../../../core/json.ts';

/** `held` waits for a person; `released` waits for its caller; `delivered` and `dropped` are over, and their texts gone. */
export type KeptState = 'held' | 'released' | 'delivered' | 'dropped';

/** A result in quarantine. Times are milliseconds since the epoch. */
export interface KeptResult {
  readonly id: string;
  readonly state: KeptState;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Id of the principal that made the call, and gets it. */
  readonly principal: string;
  readonly upstream: string;
  /** For what is no result of a tool the method and the URI or name, as in `resources/read note://today`. */
  readonly tool: string;
  readonly argumentsDigest: string;
  readonly findings: readonly Finding[];
  /** As the upstream sent it; `undefined`: it is gone. */
  readonly result: JsonObject | undefined;
  readonly decidedBy: string | undefined;
  readonly decidedAt: number | undefined;
  /** Why a person released or dropped it. */
  readonly reason: string | undefined;
}

/** A request that is known by the same members when it is made again. */
export type KeptRequest = Pick<
  Envelope,
  'id' | 'kind' | 'client' | 'upstream' | 'target' | 'body' | 'notes' | 'snapshot'
>;

const METHODS: ReadonlyMap<Envelope['kind'], string> = new Map([
  ['read', 'resources/read '],
  ['prompt', 'prompts/get '],
]);

/** Is the same request the same again, so that its answer can be kept for it? */
export function isRepeatable({ kind }: Pick<Envelope, 'kind'>): boolean {
  return kind === 'call' || METHODS.has(kind);
}

/** The name of a tool; for a resource or prompt with its method: a tool of such a name is another thing. */
export function keptNameOf({ kind, target }: Pick<Envelope, 'kind' | 'target'>): string {
  return `${METHODS.get(kind) ?? ''}${target}`;
}

/** Results in quarantine, as the doors see them. Implemented in `call/` over a store. */
export interface KeptResults {
  /** @returns its id; `undefined`: there is no room, or it is too large. Never rejects. */
  keep(
    request: KeptRequest,
    found: { readonly result: JsonObject; readonly findings: readonly Finding[] },
  ): Promise<string | undefined>;
  /**
   * The result that a person released for this very request, handed out once: the same principal, tool and arguments.
   * `undefined` at once where nothing was kept for this caller and tool.
   */
  take(request: KeptRequest): Promise<JsonObject | undefined> | undefined;
  /** True once `take` gave a result for this request: it was judged by a person. */
  isReleased(request: KeptRequest): boolean;
}
