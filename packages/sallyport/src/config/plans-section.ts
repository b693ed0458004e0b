import { z } from 'zod';
import { matchesGlob } from '../core/glob.ts';
import type { Principal } from '../core/principal.ts';
import type { Path } from './parse-file.ts';

/** The section `plans` of the file. */
export const plansSchema = z.strictObject({
  mode: z.enum(['on', 'off']).default('on').describe('off: a call that names a plan is refused, and nothing is kept.'),
  handles: z
    .array(z.string().min(1).max(512))
    .max(1_000)
    .default([])
    .describe(
      'Servers (patterns) whose results are kept here: the client gets handles, which only arguments of other calls open.',
    ),
  required: z
    .array(z.string().min(1).max(512))
    .max(1_000)
    .default([])
    .describe(
      'Callers (patterns of principal ids or of their programs) who may use only what a plan says that an operator fixed for their run (`sallyport plan register`).',
    ),
  minutes: z
    .int()
    .min(1)
    .max(10_080)
    .default(480)
    .describe('A plan or a kept text that nobody used for so long is forgotten. 8 h, a working day.'),
  plans: z
    .int()
    .min(1)
    .max(100_000)
    .default(10_000)
    .describe(
      'Plans kept at once; more are refused, none is pushed out. 10,000: the runs of a large team in eight hours.',
    ),
  texts: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1_000)
    .describe('Texts kept for one run; the oldest makes room. 1,000: a long run.'),
  megabytes: z
    .int()
    .min(1)
    .max(65_536)
    .default(64)
    .describe(
      'Size of all kept texts together; the run that kept longest ago makes room. 64: what one process can spare.',
    ),
});

export type PlanSettings = Readonly<Omit<z.output<typeof plansSchema>, 'mode'>>;

/**
 * `undefined`: there are no plans and no handles.
 * @param from `servers`: switched-off ones included; `hasTaint`: taint is on
 */
export function resolvePlans(
  written: z.output<typeof plansSchema> | undefined,
  { servers, hasTaint }: { readonly servers: readonly string[]; readonly hasTaint: boolean },
  report: (path: Path, message: string) => void,
): PlanSettings | undefined {
  if (written === undefined || written.mode === 'off') return undefined;
  // Every plan would be refused when it is sent: nobody would know whether its run has read something before.
  if (!hasTaint)
    report(
      [],
      'plans need the section "taint", which knows what a run has read, and it is off; remove "mode": "off" there, or remove "plans"',
    );
  // A pattern that can never match would fail open.
  for (const [at, pattern] of written.handles.entries())
    if (!servers.some((server) => matchesGlob(pattern, server)))
      report(['handles', at], `no server is called ${JSON.stringify(pattern)}; write the name of one`);
  const { mode, ...settings } = written;
  return settings;
}

/** Are results of this server kept behind handles? */
export function isKept({ handles }: PlanSettings, upstream: string): boolean {
  return handles.some((pattern) => matchesGlob(pattern, upstream));
}

/** Does this caller need a plan that an operator fixed? */
export function isBound({ required }: PlanSettings, { id, agent }: Principal): boolean {
  return required.some((glob) => matchesGlob(glob, id) || (agent !== undefined && matchesGlob(glob, agent)));
}
