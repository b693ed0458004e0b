import { Neighbours } from './faces.ts';
import { atMost, type Timed } from './judged.ts';
import { find, type ScanDefinition, type ScanText } from './product.ts';
import type { Data } from './read-rows.ts';
import { timeTaint } from './taint-speed.ts';

const DEFINITIONS = 1_000;
const RESULT_BYTES = 64 * 1024;

/** How long reading takes on this machine; each is a median after one unmeasured round. */
export async function measureSpeeds(data: Data): Promise<Timed[]> {
  const scanDefinition = await find<ScanDefinition>('guard/scan/scan-definition.js', 'scanDefinition');
  const scanText = await find<ScanText>('guard/scan/scan-text.js', 'scanText');
  return [
    toTimed('detection.speed.definitions_ms', 500, scanDefinition && timeDefinitions(data, scanDefinition)),
    toTimed('detection.speed.result_ms', 3, scanText && timeResults(data, scanText)),
    toTimed('detection.speed.taint_ms', 0.2, await timeTaint(data)),
  ];
}

function toTimed(name: string, goal: number, ms: number | undefined): Timed {
  const problem = ms === undefined ? 'the function is not built, or there are no rows' : undefined;
  return { name, goal: atMost(goal), ms, problem };
}

/** Real ones, spread over all servers. */
function timeDefinitions(data: Data, scan: ScanDefinition): number | undefined {
  const rows = (data.get('benign_tools') ?? []).filter((row) => row.is('kind', 'real'));
  if (rows.length < DEFINITIONS) return undefined;
  const near = new Neighbours(data.get('benign_tools') ?? []);
  const chosen = Array.from({ length: DEFINITIONS }, (_, at) => rows[Math.floor((at * rows.length) / DEFINITIONS)]);
  const inputs = chosen.flatMap((row) => {
    const definition = row?.object('tool');
    return row === undefined || definition === undefined ? [] : [{ definition, context: near.ofBenign(row) }];
  });
  return median(5, () => {
    for (const { definition, context } of inputs) scan(definition, context);
  });
}

/** Honest results one after the other, cut into texts of 64 KB. */
function timeResults(data: Data, scan: ScanText): number | undefined {
  const all = (data.get('benign_results') ?? []).map((row) => row.text('result')).join('\n');
  const texts = Array.from({ length: Math.min(30, Math.floor(all.length / RESULT_BYTES)) }, (_, at) =>
    all.slice(at * RESULT_BYTES, (at + 1) * RESULT_BYTES),
  );
  if (texts.length === 0) return undefined;
  let at = 0;
  const next = () => void scan(texts[at++ % texts.length] ?? '');
  for (const _ of texts) next();
  return median(texts.length * 3, next);
}

function median(rounds: number, work: () => void): number {
  work();
  const times = Array.from({ length: rounds }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  }).sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? Number.NaN;
}
