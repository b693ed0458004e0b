import { BOUNDS, countOf } from './histogram.ts';
import type { Family, Labels } from './metric-families.ts';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * The Prometheus text format 0.0.4. Names follow OpenTelemetry's translation: dots become underscores, the unit and
 * `_total` are put at the end.
 */
export function toMetricsText(families: readonly Family[]): string {
  let text = '';
  for (const family of families) {
    const name = toName(family);
    text += `# HELP ${name} ${family.help.replace(/[\\\n]/g, (mark) => (mark === '\n' ? '\\n' : '\\\\'))}\n`;
    text += `# TYPE ${name} ${family.kind}\n`;
    if (family.kind === 'histogram') {
      for (const { labels, histogram } of family.points) {
        let below = 0;
        BOUNDS.forEach((bound, at) => {
          below += histogram.counts[at] ?? 0;
          text += `${name}_bucket${toLabels([...labels, ['le', String(bound)]])} ${below}\n`;
        });
        const count = countOf(histogram);
        text += `${name}_bucket${toLabels([...labels, ['le', '+Inf']])} ${count}\n`;
        text += `${name}_sum${toLabels(labels)} ${histogram.sum}\n${name}_count${toLabels(labels)} ${count}\n`;
      }
    } else for (const { labels, value } of family.points) text += `${name}${toLabels(labels)} ${toNumber(value)}\n`;
  }
  return text;
}

const UNITS: ReadonlyMap<string, string> = new Map([
  ['s', '_seconds'],
  ['By', '_bytes'],
]);

function toName({ name, unit, kind }: Family): string {
  return toPlain(name) + (UNITS.get(unit) ?? '') + (kind === 'counter' ? '_total' : '');
}

function toPlain(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, '_');
}

function toLabels(labels: Labels): string {
  if (labels.length === 0) return '';
  return `{${labels.map(([name, value]) => `${toPlain(name)}="${escaped(value)}"`).join(',')}}`;
}

/** Names of tools are strangers' words: a line break in one would write further lines of its own. */
function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (mark) => (mark === '\n' ? '\\n' : `\\${mark}`)).replace(/\r/g, ' ');
}

function toNumber(value: number): string {
  return Number.isFinite(value) ? String(value) : 'NaN';
}
