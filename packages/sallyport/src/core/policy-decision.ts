/** What the policies say of one request, and which of them made it so. */
export interface PolicyDecision {
  readonly effect: 'allow' | 'ask' | 'deny';
  /** For a person and a model; empty for allow. */
  readonly reason: string;
  /** Ids of the policies that decided; none where nothing permits. */
  readonly policies: readonly string[];
  /** Digest of the texts that decided. */
  readonly version: string;
  /** How many people an ask needs, where a policy says so; left out: as many as the configuration says. */
  readonly people?: 2 | undefined;
}

/** What policies said while a request was served: filled in by the guard, written by the audit. */
export interface PolicyNotes {
  /** Before anything reached the upstream. */
  policy: PolicyDecision | undefined;
  /** Before the result reached the client. */
  release: PolicyDecision | undefined;
  /** Of the policies that are only tried (`policy.shadow`). */
  candidate: PolicyDecision | undefined;
  /** False in shadow mode: the decision was noted, and the request went on. */
  isEnforced: boolean;
}
