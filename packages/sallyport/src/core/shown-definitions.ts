import type { Json } from './json.ts';

/** One definition as a client is shown it, or what a server tells every model at the start. */
export interface ShownDefinition {
  readonly upstream: string;
  /** "the description of mail.send_email", "the instructions of mail". */
  readonly what: string;
  readonly definition: Json;
  /** Reading it found something that speaks to a model in a way honest definitions do not, and it was approved all the same. */
  readonly hasFindings: boolean;
}

/** What the lists of a caller show: a model has read it before its first call. The same object for the same lists. */
export interface ShownDefinitions {
  readonly all: readonly ShownDefinition[];
  /** The first with findings. */
  readonly suspicious: ShownDefinition | undefined;
}
