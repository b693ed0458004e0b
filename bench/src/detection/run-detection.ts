import { describeMachine } from '../process/machine.ts';
import { PARTS, type Part, SHARES } from './figures.ts';
import type { Measured, Share, Timed } from './judged.ts';
import { measureChanges } from './measure-changes.ts';
import { measureDefinitions } from './measure-definitions.ts';
import { measureContainment, measureEgress } from './measure-egress.ts';
import { measureResults } from './measure-results.ts';
import { measureShadows } from './measure-shadows.ts';
import { measureSpeeds } from './measure-speeds.ts';
import { printDetection, showRows, toFigures, toRows } from './print-detection.ts';
import { type Data, readData } from './read-rows.ts';

export interface DetectionOptions {
  readonly json: boolean;
  readonly directory: string;
  /** Which halves of the data may be read, the first that is there. */
  readonly splits: readonly string[];
  /** Parts to measure; `undefined`: all. */
  readonly only: readonly string[] | undefined;
  /** A figure whose missed rows or false alarms are printed for people to look at. */
  readonly show: string | undefined;
}

const MEASURES: Readonly<Record<Part, (data: Data) => Promise<Measured>>> = {
  definitions: measureDefinitions,
  shadow: measureShadows,
  change: measureChanges,
  result: measureResults,
  egress: measureEgress,
  containment: measureContainment,
};
/** What else a part may be called: the second word of its figures. */
const OTHER_NAMES: ReadonlyMap<string, Part | 'speed'> = new Map<string, Part | 'speed'>([
  ...PARTS.map((part) => [part, part] as const),
  ...['explicit', 'block', 'promotional', 'schema', 'context', 'parameter'].map(
    (name) => [name, 'definitions'] as const,
  ),
  ['results', 'result'],
  ['speed', 'speed'],
]);

/** Applies the product's own readers to a yardstick: rates per signal and source, and times. */
export async function runDetection(options: DetectionOptions): Promise<string> {
  const { only, show } = options;
  const machine = describeMachine(new Date());
  const { data, read } = readData(options.directory, options.splits);
  process.stderr.write(`read ${read.join(', ')}\n`);
  const parts = only === undefined ? undefined : new Set(only.map(toPart));
  // First: what the rest leaves behind would be collected in between.
  const times: Timed[] = parts === undefined || parts.has('speed') ? await measureSpeeds(data) : [];
  const shares: Share[] = [];
  for (const part of PARTS) {
    if (parts !== undefined && !parts.has(part)) continue;
    process.stderr.write(`${part}\n`);
    shares.push(...(await measure(part, data)));
  }
  if (show !== undefined) return showRows(shares, show);
  if (!options.json) return printDetection(machine, shares, times);
  return `${JSON.stringify({ machine, read, figures: toFigures(shares, times), rows: toRows(shares) })}\n`;
}

/** One part that fails leaves the others standing; its figures are null. */
async function measure(part: Part, data: Data): Promise<Share[]> {
  const own = SHARES.filter(([of]) => of === part);
  try {
    const measured = await MEASURES[part](data);
    return own.map(([, name, goal]) => ({ name, goal, judged: measured[name] ?? [] }));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${part} was not measured: ${error instanceof Error ? error.stack : problem}\n`);
    return own.map(([, name, goal]) => ({ name, goal, judged: [], problem }));
  }
}

function toPart(name: string): Part | 'speed' {
  const part = OTHER_NAMES.get(name);
  if (part === undefined)
    throw new Error(`no part is called ${name}; there are: ${[...OTHER_NAMES.keys()].join(', ')}`);
  return part;
}
