/** How soon a child that keeps dying may be started again. Milliseconds. */
export interface RestartRules {
  /** A child that lived at least this long has proved itself: the count starts anew. */
  readonly provenMs: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** This many quick deaths in a row within `loopWindowMs` are a crash loop: starts are refused for `refuseMs` after each death. */
  readonly loopDeaths: number;
  readonly loopWindowMs: number;
  readonly refuseMs: number;
}

export const RESTART_RULES: RestartRules = Object.freeze({
  provenMs: 10_000,
  firstDelayMs: 250,
  maxDelayMs: 5_000,
  loopDeaths: 5,
  loopWindowMs: 120_000,
  // A server that is mended is back within five seconds; one start per five seconds is no storm.
  refuseMs: 5_000,
});

/** The quick deaths in a row, as far as they matter for the next start. */
export interface Deaths {
  readonly inRow: number;
  /** When, oldest first; at most `loopDeaths`. */
  readonly recent: readonly number[];
  /** Stays until a child has proved itself. */
  readonly looping: boolean;
}

export const NO_DEATHS: Deaths = Object.freeze({ inRow: 0, recent: [], looping: false });

export type NextStart =
  | { readonly kind: 'now' }
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'refused'; readonly until: number };

/** What is remembered after a child that lived from `bornAt` to `diedAt`. */
export function recordDeath(
  deaths: Deaths,
  life: { readonly bornAt: number; readonly diedAt: number },
  rules: RestartRules = RESTART_RULES,
): Deaths {
  if (life.diedAt - life.bornAt >= rules.provenMs) return NO_DEATHS;
  const recent = [...deaths.recent, life.diedAt].slice(-rules.loopDeaths);
  const first = recent[0] ?? life.diedAt;
  const looping = deaths.looping || (recent.length >= rules.loopDeaths && life.diedAt - first <= rules.loopWindowMs);
  return { inRow: deaths.inRow + 1, recent, looping };
}

/** When the next child may start, seen from `now`. */
export function nextStart(deaths: Deaths, now: number, rules: RestartRules = RESTART_RULES): NextStart {
  const last = deaths.recent.at(-1);
  if (last === undefined) return { kind: 'now' };
  if (deaths.looping) {
    const until = last + rules.refuseMs;
    return now < until ? { kind: 'refused', until } : { kind: 'now' };
  }
  // 2 ** 20 is beyond every maximum: the exponent is cut so that it cannot become Infinity.
  const delay = Math.min(rules.firstDelayMs * 2 ** Math.min(deaths.inRow - 1, 20), rules.maxDelayMs);
  const until = last + delay;
  return now < until ? { kind: 'wait', until } : { kind: 'now' };
}
