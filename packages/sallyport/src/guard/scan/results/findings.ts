import type { ResourceSettings } from '../../../config/resources-section.ts';
import type { Finding } from '../../../core/finding.ts';
import type { NameAnswers } from '../../../core/name-port.ts';
import { readText, type TextReading } from '../scan-text.ts';
import { markText, type Provenance } from './mark-text.ts';
import { isDangerous, neutralise } from './neutralise.ts';

/** How the texts of one server are treated. */
export interface Treatment extends Provenance {
  /** Findings are noted, and nothing is changed. */
  readonly isShown: boolean;
  /** Every text is marked. */
  readonly untrusted: boolean;
  readonly resources: ResourceSettings;
  /** Host of the server's own address; `undefined`: it runs on this machine. */
  readonly ownHost: string | undefined;
  /** Where the names in links lead. Left out: they are judged as they are written. */
  readonly answers?: NameAnswers | undefined;
  readonly makeTag: () => string;
}

const MAX_FINDINGS = 32;
const NONE: readonly Finding[] = Object.freeze([]);

/** Collects what one message of a server holds. */
export class Findings {
  readonly all: Finding[] = [];
  score = 0;
  /** A finding of the block tier stands where no mark can be set. */
  isUnmarkable = false;
  /** A finding of any tier stands there, in what is handed out. */
  isUnmarked = false;
  isChanged = false;
  /** Why contents that were read are not handed out. */
  refusal: string | undefined;
  readonly treatment: Treatment;
  /** Names of members that were read: rows of a table have the same. */
  readonly names = new Set<string>();

  constructor(treatment: Treatment) {
    this.treatment = treatment;
  }

  add(finding: Finding): void {
    if (this.all.length < MAX_FINDINGS) this.all.push(finding);
  }

  read(text: string, where: string): TextReading {
    const reading = readText(text);
    this.score = Math.max(this.score, reading.scan.score);
    for (const finding of reading.scan.findings) this.add({ ...finding, where });
    return reading;
  }

  /** Reads a text where nothing can be marked: an identifier, a value, a name. */
  readFixed(text: string, where: string): void {
    const { findings } = this.read(text, where).scan;
    if (findings.length === 0) return;
    this.isUnmarked = true;
    if (findings.some(isBlock)) this.isUnmarkable = true;
  }

  /**
   * The text as the model gets it.
   * @param across what was found in it together with its neighbours
   */
  treat(text: string, where: string, across: readonly Finding[] = NONE): string {
    const reading = this.read(text, where);
    for (const finding of across) this.add({ ...finding, where });
    const findings = across.length === 0 ? reading.scan.findings : [...reading.scan.findings, ...across];
    return this.#write(text, reading, findings);
  }

  /** The text of bytes, or of a message that is no result, as it is shown when something is found in it; else `undefined`. */
  treatFound(text: string, where: string, across: readonly Finding[] = NONE): string | undefined {
    const reading = this.read(text, where);
    for (const finding of across) this.add({ ...finding, where });
    const findings = across.length === 0 ? reading.scan.findings : [...reading.scan.findings, ...across];
    if (this.treatment.isShown || findings.length === 0) return undefined;
    return this.#write(text, reading, findings);
  }

  #write(text: string, { marks, carriers }: TextReading, findings: readonly Finding[]): string {
    const { isShown, untrusted } = this.treatment;
    if (isShown) return text;
    const isSuspect = untrusted || findings.length > 0;
    const harmless = neutralise(text, {
      marks: marks.filter((mark) => isDangerous(mark, isSuspect)),
      // What a page or a picture loads is its own business until something in the text is not.
      carriers: isSuspect ? carriers.filter((one) => one.carries !== 'none' || one.runs) : [],
    });
    const shown = isSuspect ? markText(harmless, { ...this.treatment, findings }, this.treatment.makeTag) : harmless;
    if (shown !== text) this.isChanged = true;
    return shown;
  }
}

export function isBlock({ tier }: Finding): boolean {
  return tier === 'block';
}
