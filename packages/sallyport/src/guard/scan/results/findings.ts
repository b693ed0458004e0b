import type { ResourceSettings } from '../../../config/resources-section.ts';
import type { Finding } from '../../../core/finding.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { NameAnswers } from '../../../core/name-port.ts';
import { ownSpans } from '../../sources/own-words.ts';
import { readText, type TextReading } from '../scan-text.ts';
import { cleanText } from './clean-text.ts';
import type { Provenance } from './warning.ts';

/** How the texts of one server are treated. */
export interface Treatment extends Provenance {
  /** `note`: findings stand in `_meta` only. `warn`: the model is told as well. `clean`: spans with a finding are rewritten, too. */
  readonly mode: 'note' | 'warn' | 'clean';
  /** The model is told of every text. */
  readonly untrusted: boolean;
  /** Of a local server only the block tier is worth a warning: source code quotes everything. Asked when something is found. */
  readonly isLocal: () => boolean;
  readonly resources: ResourceSettings;
  /** Host of the server's own address; `undefined`: it runs on this machine. */
  readonly ownHost: string | undefined;
  /** Where the names in links lead. Left out: they are judged as they are written. */
  readonly answers?: NameAnswers | undefined;
  /** The arguments of the call that is answered: what only repeats them is not the server's text. */
  readonly own?: JsonObject | undefined;
}

const MAX_FINDINGS = 32;
const MAX_CHANGES = 32;
const NONE: readonly Finding[] = Object.freeze([]);

/** Collects what one message of a server holds. */
export class Findings {
  readonly all: Finding[] = [];
  /** What was rewritten and where, one line each. */
  readonly changes: string[] = [];
  score = 0;
  /** Why contents that were read are not handed out. */
  refusal: string | undefined;
  readonly treatment: Treatment;
  /** Names of members that were read: rows of a table have the same. */
  readonly names = new Set<string>();
  readonly #ownSpans: ((text: string) => ReturnType<typeof ownSpans>) | undefined;

  constructor(treatment: Treatment) {
    this.treatment = treatment;
    const { own } = treatment;
    this.#ownSpans = own === undefined ? undefined : (text) => ownSpans(text, own);
  }

  add(finding: Finding): void {
    if (this.all.length < MAX_FINDINGS) this.all.push(finding);
  }

  /** Reads a text that stays as it is. @param across what was found in it together with its neighbours */
  read(text: string, where: string, across: readonly Finding[] = NONE): TextReading {
    const reading = readText(text, this.#ownSpans);
    this.score = Math.max(this.score, reading.scan.score);
    for (const finding of reading.scan.findings) this.add({ ...finding, where });
    for (const finding of across) this.add({ ...finding, where });
    return reading;
  }

  /** The text as the model gets it: the same one, unless its server is set to `clean`. */
  treat(text: string, where: string, across: readonly Finding[] = NONE): string {
    const reading = this.read(text, where, across);
    if (this.treatment.mode !== 'clean' || reading.scan.findings.length === 0) return text;
    const { cleaned, changes } = cleanText(text, reading);
    for (const change of changes) this.noteChange(`${where}: ${change}`);
    return cleaned;
  }

  noteChange(change: string): void {
    if (this.changes.length < MAX_CHANGES) this.changes.push(change);
    else if (this.changes.length === MAX_CHANGES) this.changes.push('and more of the same kinds');
  }
}

export function isBlock({ tier }: Finding): boolean {
  return tier === 'block';
}
