/** Where a name leads now: its addresses; `unknown`: nobody knows it; `late`: no answer in time, or too many were asked for. */
export type NameAnswer = readonly string[] | 'unknown' | 'late';
export type NameAnswers = ReadonlyMap<string, NameAnswer>;

/** Looks names of hosts up as programs of this machine do when they connect. */
export interface NamePort {
  /** Never rejects, and answers within two seconds. What was asked a moment ago is not asked again. */
  lookUp(names: readonly string[]): Promise<NameAnswers>;
}
