import type { SinkClass } from '../core/sink.ts';

/** Who may use what: resolved. */

export interface AllowEntry {
  /** A pattern. */
  readonly match: string;
  /** `undefined`: everyone. */
  readonly groups: readonly string[] | undefined;
}

export type AllowKind = 'tools' | 'resources' | 'prompts';

/** What one server lets be seen of itself. */
export interface ServerAccess {
  /** `undefined` for a kind: everything. */
  readonly allow: Readonly<Record<AllowKind, readonly AllowEntry[] | undefined>>;
  readonly deny: Readonly<Record<AllowKind, readonly string[]>>;
  /** Who may know of the server; `undefined`: everyone. */
  readonly groups: readonly string[] | undefined;
  /** All callers share its credential. */
  readonly shared: boolean;
  /** Patterns: what the operator says changes nothing. */
  readonly readOnlyTools: readonly string[];
}

/** One item, or several by patterns, of one server or several. */
export interface Reference {
  readonly server: string;
  readonly item: string;
}

export interface BundleTool extends Reference {
  readonly name: string | undefined;
  readonly description: string | undefined;
}

export interface BundleSettings {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly instructions: string | undefined;
  readonly tools: readonly BundleTool[];
  readonly resources: readonly Reference[];
  readonly prompts: readonly Reference[];
  readonly groups: readonly string[] | undefined;
}

export type FloorAction = 'allow' | 'ask' | 'deny';

export interface SinkSettings {
  readonly floor: ReadonlyMap<SinkClass, FloorAction>;
  readonly overrides: readonly (Reference & { readonly sinks: readonly SinkClass[] })[];
}

/** Values at `path` in the arguments must agree with a value of one of the caller's attributes. */
export interface BindingSettings {
  readonly upstream: string;
  readonly path: readonly string[];
  readonly attributes: readonly string[];
  readonly match: 'equal' | 'path';
  readonly ignoreCase: boolean;
  /** Patterns; `undefined`: all tools. */
  readonly tools: readonly string[] | undefined;
  readonly writingOnly: boolean;
}
