import type { Finding } from '../../core/finding.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ToolFace } from '../../core/tool-face.ts';
import type { ListKind } from '../contract.ts';

/** What has a text that a model reads as a definition. */
export type InspectedKind = ListKind | 'instructions' | 'serverInfo';

/** An approved tool, or one that the same server offers: what a definition is read beside. */
export interface Peer extends ToolFace {
  /** `false`: its own server offers it, and nobody approved it yet. */
  readonly isApproved: boolean;
  /** First sight approved it a moment ago, and its server came with the one that is read now: neither is trusted more. */
  readonly isFresh: boolean;
}

/** One definition before anybody may use it. */
export interface Inspected {
  readonly server: string;
  readonly kind: InspectedKind;
  /** Name, URI or URI template; empty for what a server has one of. */
  readonly name: string;
  /** Instructions are `{ instructions: text }`, what a server says of itself is `{ serverInfo, capabilities }`. */
  readonly definition: JsonObject;
  /** The approved definition of the same item; left out at first sight. */
  readonly before?: JsonObject | undefined;
  /** This very definition is approved already, and read again. */
  readonly isApproved?: boolean | undefined;
  /** First sight approved it before the latest of the others came: none of them takes that back. */
  readonly isSettled?: boolean | undefined;
}

/** A tool that an item was compared with, to be shown beside it. */
export interface Related {
  readonly server: string;
  readonly name: string;
  readonly why: string;
}

export interface Report {
  readonly findings: readonly Finding[];
  /** Why nobody may use it until a person said yes, for people and models to read: no word of the stranger's stands in it. */
  readonly hold?: string | undefined;
  /** To be read by a person: never approved with one key. */
  readonly risky: boolean;
  /** How suspicious the whole is, 0 to 1. */
  readonly score: number;
  readonly related?: readonly Related[] | undefined;
}

/** What was found in one definition, as it is kept with its pin. */
export interface Found extends Report {
  /** Of the definition. */
  readonly digest: string;
  /** Of the rules that read it. */
  readonly version: string;
}

/** Reads definitions. Called for each definition that is new or another one, and again when the rules are others. */
export interface Inspection {
  /** Another one as soon as a rule is. */
  readonly version: string;
  /** @param peers the same array for all definitions that are read beside the same tools */
  inspect(item: Inspected, peers: readonly Peer[]): Report;
}

/** Reads a page (`ui://`) when it is met: what is kept of a long one is its digest. */
export interface ReadPage {
  /** Another one as soon as a rule is. */
  readonly version: string;
  report(): Report;
}

/** Names of rules only: a model may read it. `undefined`: nothing that was found holds it. */
export function whyBlocked(findings: readonly Finding[]): string | undefined {
  const blocking = [...new Set(findings.filter(({ tier }) => tier === 'block').map(({ id }) => id))];
  return blocking.length === 0 ? undefined : `reading it found: ${blocking.join(', ')}`;
}

/** What cannot be read is held: a text that breaks its reader, or tires it, must not pass for harmless. */
export function toUnread(hold: string): Report {
  const finding: Finding = {
    ...{ id: 'not-read', tier: 'block', owasp: 'MCP03', where: '', start: 0, end: 0, evidence: '' },
    why: `${hold.charAt(0).toUpperCase()}${hold.slice(1)}.`,
    fix: 'Read it yourself before you approve it.',
  };
  return Object.freeze({ findings: [finding], hold, risky: true, score: 1 });
}

export const UNREADABLE = toUnread('it could not be read for findings');
