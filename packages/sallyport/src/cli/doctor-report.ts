import type { JsonObject } from '../core/json.ts';
import type { StepReport } from './doctor-steps.ts';
import { columnsOf } from './plain-text.ts';

/** One thing examined, with what came of it. */
export interface TargetReport {
  readonly name: string;
  readonly kind: 'local' | 'http' | 'stdio';
  readonly steps: readonly StepReport[];
}

const MARKS: Readonly<Record<StepReport['outcome'], string>> = {
  ok: '✓',
  warning: '!',
  failed: '✗',
  skipped: '–',
  not_reached: '–',
};

/** What people read in the place of a step's name. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['url', 'URL'],
  ['dns', 'DNS'],
  ['tcp', 'TCP'],
  ['tls', 'TLS'],
  ['http', 'HTTP'],
  ['cwd', 'working folder'],
]);

const LABEL_WIDTH = 15;
const MARGIN = ' '.repeat(LABEL_WIDTH + 5);

/** A step as lines for people: mark, name, what was seen, time; the fix below. */
export function toLines({ step, outcome, ms, detail, fix }: StepReport): string {
  const label = LABELS.get(step) ?? step;
  const head = `  ${MARKS[outcome]} ${label}${' '.repeat(Math.max(1, LABEL_WIDTH + 1 - columnsOf(label)))}`;
  const time = outcome === 'not_reached' || outcome === 'skipped' ? '' : ` (${ms} ms)`;
  const [first = '', ...rest] = detail.split('\n');
  const lines = [`${head}${first}${time}`, ...rest.map((line) => `${MARGIN}${line}`)];
  if (fix !== undefined) {
    const [start = '', ...more] = fix.split('\n');
    lines.push(`${MARGIN}Fix: ${start}`, ...more.map((line) => `${MARGIN}     ${line}`));
  }
  return `${lines.join('\n')}\n`;
}

function isHealthy({ steps }: TargetReport): boolean {
  return steps.every(({ outcome }) => outcome !== 'failed');
}

/** The exit code of the first step that failed; 0 when none did. */
export function exitOf(targets: readonly TargetReport[]): number {
  return targets.flatMap(({ steps }) => steps).find(({ outcome }) => outcome === 'failed')?.exit ?? 0;
}

export function toValue(targets: readonly TargetReport[]): JsonObject {
  return {
    ok: targets.every(isHealthy),
    targets: targets.map((target) => ({
      name: target.name,
      kind: target.kind,
      ok: isHealthy(target),
      steps: target.steps.map(({ step, outcome, ms, detail, fix }) => ({
        step,
        outcome,
        ms,
        detail,
        fix: fix ?? null,
      })),
    })),
  };
}

/** The last line: how many are well. */
export function toSummary(targets: readonly TargetReport[]): string {
  const ill = targets.filter((target) => !isHealthy(target));
  const warned = targets.flatMap(({ steps }) => steps).filter(({ outcome }) => outcome === 'warning').length;
  const warnings = warned === 0 ? '' : ` ${warned} ${warned === 1 ? 'warning' : 'warnings'}.`;
  if (ill.length === 0) return `All good.${warnings}\n`;
  const names = ill.map(({ kind, name }) => (kind === 'local' ? 'this machine' : name)).join(', ');
  return `Something is wrong with ${names}.${warnings}\n`;
}

/** Lets several talk at once and prints them one after another, the first one live. */
export interface OrderedPrinter {
  say(index: number, text: string): void;
  finish(index: number): void;
}

export function createOrderedPrinter(count: number, print: (text: string) => void): OrderedPrinter {
  const held = Array.from({ length: count }, () => ({ text: '', finished: false }));
  let current = 0;
  return {
    say(index, text) {
      const own = held[index];
      if (index === current) print(text);
      else if (own !== undefined) own.text += text;
    },
    finish(index) {
      const own = held[index];
      if (own !== undefined) own.finished = true;
      while (held[current]?.finished === true) {
        current++;
        const next = held[current];
        if (next !== undefined && next.text !== '') print(next.text);
      }
    },
  };
}
