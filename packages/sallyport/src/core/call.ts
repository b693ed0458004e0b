import type { JsonObject } from './json.ts';
import type { PolicyNotes } from './policy-decision.ts';
import type { SinkClass } from './sink.ts';

/** One tool as the shared endpoint shows it and as its upstream knows it. */
export interface Tool {
  readonly upstream: string;
  /** The name at the upstream. */
  readonly name: string;
  /** The name clients of this endpoint use. */
  readonly publicName: string;
  /** Parsed definition, under the upstream's own name. */
  readonly definition: JsonObject;
  /** SHA-256 of the definition as the upstream wrote it, hex: equal digests have equal schemas. */
  readonly digest: string;
  /** Why the tool may not be called, e.g. a name that a bundle gives twice; `undefined`: it may. */
  readonly setAside: string | undefined;
  /**
   * The annotations of the definition that was approved, whatever the server says now; empty while none is. What decides
   * from hints decides from these.
   */
  readonly approvedHints: JsonObject;
  /** The effects that its definition tells of, or the operator says it has; its arguments may tell of more. */
  readonly sinks: readonly SinkClass[];
  /** `true`: its server does not list it, and only its name is known. */
  readonly isUnlisted?: boolean | undefined;
}

/** What guards leave for the record, and for the answer. */
export interface CallNotes extends PolicyNotes {
  /** Header lines of the HTTP answer that say how the limits stand, by name; `undefined`: no limit concerns the call. */
  standing: Readonly<Record<string, string>> | undefined;
  /** Id under which the result is in quarantine. */
  keptResult?: string | undefined;
  /** What a schema of the tool did not validate, and why. */
  notValidated?: string | undefined;
}
