/** What the product said about one row of the data. */
export interface Judged {
  readonly id: string;
  readonly source: string;
  /** The finer class of the row within its figure, for the table; e.g. its signal or kind. */
  readonly group: string;
  /** Flagged, contained, harmed, …: what the figure counts. */
  readonly hit: boolean;
  /** For people who look with `--show`: what was found, or the text. Never written anywhere else. */
  readonly note: string;
}

/** Rows by the name of their figure. */
export type Measured = Readonly<Record<string, readonly Judged[]>>;

/** A share of rows, with its goal. */
export interface Share {
  readonly name: string;
  /** `undefined`: the rate is told, and no goal was set. */
  readonly goal: Goal | undefined;
  readonly judged: readonly Judged[];
  /** Why there are no rows. */
  readonly problem?: string | undefined;
}

/** A time. `value` is undefined when it could not be measured. */
export interface Timed {
  readonly name: string;
  readonly goal: Goal;
  readonly ms: number | undefined;
  readonly problem?: string | undefined;
}

export interface Goal {
  readonly sign: '>=' | '<=';
  readonly value: number;
}

export const atLeast = (value: number): Goal => ({ sign: '>=', value });
export const atMost = (value: number): Goal => ({ sign: '<=', value });

export function isMet({ sign, value }: Goal, measured: number): boolean {
  return sign === '>=' ? measured >= value : measured <= value;
}

/** Share of hits with its 95 % interval after Wilson (1927), which stays honest for few rows and for shares near 0 and 1. */
export interface Rate {
  readonly hits: number;
  readonly rows: number;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const Z = 1.959964;

export function toRate(hits: number, rows: number): Rate {
  if (rows === 0) return { hits, rows, value: Number.NaN, low: Number.NaN, high: Number.NaN };
  const value = hits / rows;
  const over = 1 + Z ** 2 / rows;
  const middle = (value + Z ** 2 / (2 * rows)) / over;
  const half = (Z * Math.sqrt((value * (1 - value)) / rows + Z ** 2 / (4 * rows ** 2))) / over;
  return { hits, rows, value, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

export function rateOf(judged: readonly Judged[]): Rate {
  return toRate(judged.filter(({ hit }) => hit).length, judged.length);
}
