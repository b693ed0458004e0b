/** One line of the Prometheus text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = `[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"`;
const SAMPLE = new RegExp(
  `^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (NaN|[+-]?Inf|[+-]?[0-9.]+(?:e[+-]?[0-9]+)?)$`,
);
const KINDS = new Set(['counter', 'gauge', 'histogram']);

/** Reads the text format 0.0.4 and refuses what the specification does not allow. */
export function parseMetrics(text: string): Sample[] {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const kinds = new Map<string, string>();
  const seen = new Set<string>();
  const samples: Sample[] = [];
  for (const line of text.slice(0, -1).split('\n')) {
    const help = new RegExp(`^# HELP (${NAME}) (.+)$`).exec(line);
    const type = new RegExp(`^# TYPE (${NAME}) ([a-z]+)$`).exec(line);
    if (help !== null) continue;
    if (type !== null) {
      const [, name = '', kind = ''] = type;
      if (kinds.has(name) || !KINDS.has(kind)) throw new Error(`bad TYPE: ${line}`);
      kinds.set(name, kind);
      continue;
    }
    const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`no sample: ${line}`);
    const series = `${name}{${labels}}`;
    if (seen.has(series)) throw new Error(`twice: ${series}`);
    seen.add(series);
    const family = kinds.get(name) === undefined ? name.replace(/_(bucket|sum|count)$/, '') : name;
    const kind = kinds.get(family);
    if (kind === undefined) throw new Error(`no TYPE before ${line}`);
    if (kind === 'counter' && !name.endsWith('_total')) throw new Error(`a counter without _total: ${line}`);
    samples.push({ name, labels: toLabels(labels), value: Number(value.replace('Inf', 'Infinity')) });
  }
  checkHistograms(samples, kinds);
  return samples;
}

function toLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g)) {
    if (Object.hasOwn(labels, name)) throw new Error(`a label twice: ${text}`);
    labels[name] = value.replace(/\\(.)/g, (_, mark: string) => (mark === 'n' ? '\n' : mark));
  }
  return labels;
}

/** Buckets grow, end with +Inf, and the last one is the count. */
function checkHistograms(samples: readonly Sample[], kinds: ReadonlyMap<string, string>): void {
  const buckets = new Map<string, Sample[]>();
  for (const sample of samples) {
    if (!sample.name.endsWith('_bucket')) continue;
    const { le: _, ...labels } = sample.labels;
    const key = `${sample.name} ${JSON.stringify(labels)}`;
    const own = buckets.get(key);
    if (own === undefined) buckets.set(key, [sample]);
    else own.push(sample);
  }
  for (const { name, labels, value } of samples) {
    const family = name.replace(/_count$/, '');
    if (family === name || kinds.get(family) !== 'histogram') continue;
    const own = buckets.get(`${family}_bucket ${JSON.stringify(labels)}`) ?? [];
    const bounds = own.map((bucket) => Number(bucket.labels['le']?.replace('Inf', 'Infinity')));
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY || own.at(-1)?.value !== value)
      throw new Error(`${family}: the last bucket is not the count`);
    for (let i = 1; i < own.length; i++)
      if ((bounds[i] ?? 0) <= (bounds[i - 1] ?? 0) || (own[i]?.value ?? 0) < (own[i - 1]?.value ?? 0))
        throw new Error(`${family}: buckets are out of order`);
  }
}

/** The value of the one sample with exactly these labels. */
export function sampleValue(samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>>) {
  const wanted = JSON.stringify(Object.entries(labels).sort());
  return samples.find(
    (sample) => sample.name === name && JSON.stringify(Object.entries(sample.labels).sort()) === wanted,
  )?.value;
}
