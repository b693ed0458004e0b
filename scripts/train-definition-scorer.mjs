// Fits the weights of packages/sallyport/src/guard/scan/weights.ts: one per reason that features.ts can find in a definition.
//
// Reads the yardstick in place (poisoned_tools and benign_tools, development split), and catalogues of honest tools (catalog-*.jsonl),
// and writes numbers only. Run: npx tsc -b && node scripts/train-definition-scorer.mjs DIR CATALOGUES [--check]
// --check writes nothing; it says what each source's rows would score if that source had not been there, and how many tools of
// each catalogue are above the bar, those of TEST among them, which nothing is fitted to.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [DIR, CATALOGUES, flag] = process.argv.slice(2);
if (DIR === undefined || CATALOGUES === undefined)
  throw new Error('usage: node scripts/train-definition-scorer.mjs DIR CATALOGUES [--check]');
/** Servers as they are published: what is fitted to the others must hold for them. */
const TEST = 'toucan';
const SCAN = new URL('../packages/sallyport/dist/guard/scan/', import.meta.url);
const TARGET = 'packages/sallyport/src/guard/scan/weights.ts';
/** Share of real tools above the bar: below the 1 % of the goal, because other catalogues are other. */
const ALARMS = 0.0035;
/**
 * A reason that no more than this share of the tools of any catalogue gives is enough alone. There are eighty reasons: at 0.1 % each
 * of the development split, five times as many tools of other servers were above the bar as of those.
 */
const RARE = 0.0005;
/** Fewer tools do not show that a reason is rare. */
const LEAST_TOOLS = 1_000;
/** A server with more tools than this is no server: its catalogue has none. */
const MOST_BESIDE = 300;

const { FEATURES } = await import(new URL('features.js', SCAN).href);
const { findFacts, namesOf } = await import(new URL('facts.js', SCAN).href);
const { readDefinition } = await import(new URL('definition-reading.js', SCAN).href);

const read = (name) =>
  readFileSync(join(DIR, `${name}.dev.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const toFace = (server, { name = '', title = '', description = '', inputSchema }) => ({
  server,
  name,
  title,
  description,
  parameters: Object.keys(inputSchema?.properties ?? {}),
});

const benign = read('benign_tools').filter(({ kind }) => kind === 'real');
const neighbours = Map.groupBy === undefined ? group(benign) : Map.groupBy(benign, keyOf);
const faces = new Map(
  [...neighbours].map(([key, rows]) => [key, rows.map(({ server, tool }) => toFace(server, tool))]),
);
const rows = [
  ...benign.map((row) => ({ row, isPoisoned: false, context: { server: row.server, tools: faces.get(keyOf(row)) } })),
  ...read('poisoned_tools')
    .filter(({ signal }) => signal === 'explicit' || signal === 'promotional')
    .map((row) => {
      const { peer, peers = [], server = 'attacker' } = row.context ?? {};
      const tools = [peer, ...peers]
        .filter((one) => one?.tool !== undefined)
        .map((one) => toFace(one.server, one.tool));
      return { row, isPoisoned: true, context: { server, tools } };
    }),
].map(({ row, isPoisoned, context }) => ({
  source: row.source,
  signal: row.signal,
  isPoisoned,
  values: findFacts(readDefinition(row.tool), { kind: 'tools', ...context }, namesOf(row.tool)).values,
}));

/** name -> what the reasons say of each of its tools. */
const catalogues = new Map(
  readdirSync(CATALOGUES)
    .filter((file) => file.startsWith('catalog-') && file.endsWith('.jsonl'))
    .map((file) => [file.slice('catalog-'.length, -'.jsonl'.length), readCatalogue(file)])
    .filter(([, tools]) => tools.length >= LEAST_TOOLS),
);

/** Tools that stand in the development split as well are left out; each is read beside the others of its server. */
function readCatalogue(file) {
  const known = new Set(benign.map(({ tool }) => toKey(tool)));
  const byServer = new Map();
  for (const line of readFileSync(join(CATALOGUES, file), 'utf8').trimEnd().split('\n')) {
    const { server = '', name, description, inputSchema } = JSON.parse(line);
    const tool = { name, ...(description === undefined ? {} : { description }), ...(inputSchema && { inputSchema }) };
    byServer.set(server, [...(byServer.get(server) ?? []), tool]);
  }
  return [...byServer].flatMap(([server, all]) => {
    const beside = all.length > MOST_BESIDE ? [] : all.map((tool) => toFace(server, tool));
    const own = all.filter((tool) => !known.has(toKey(tool)) && known.add(toKey(tool)));
    return own.map((tool) => ({
      values: findFacts(readDefinition(tool), { kind: 'tools', server, tools: beside }, namesOf(tool)).values,
    }));
  });
}

function toKey({ name, description = '' }) {
  return `${name}\n${description.slice(0, 200)}`;
}

function keyOf({ source, server }) {
  return `${source} ${server}`;
}

function group(all) {
  const groups = new Map();
  for (const row of all) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

/** Logistic regression by gradient descent, weights at least 0, each source weighed by the root of its size. */
function fitWeights(data) {
  const sizes = new Map();
  for (const { isPoisoned, source } of data) if (isPoisoned) sizes.set(source, (sizes.get(source) ?? 0) + 1);
  const patterns = new Map();
  for (const { values, isPoisoned, source } of data) {
    const key = `${isPoisoned} ${values.join()}`;
    const pattern = patterns.get(key) ?? { values, isPoisoned, weight: 0 };
    pattern.weight += isPoisoned ? 1 / Math.sqrt(sizes.get(source)) : 0.02;
    patterns.set(key, pattern);
  }
  const seen = [...patterns.values()];
  const total = seen.reduce((sum, { weight }) => sum + weight, 0);
  const weights = FEATURES.map(() => 0);
  let bias = -4;
  for (let step = 0; step < 500; step++) {
    const slopes = FEATURES.map(() => 0);
    let slope = 0;
    for (const { values, isPoisoned, weight } of seen) {
      const error = ((1 / (1 + Math.exp(-odds({ weights, bias }, values))) - (isPoisoned ? 1 : 0)) * weight) / total;
      slope += error;
      for (let i = 0; i < values.length; i++) slopes[i] += error * values[i];
    }
    for (let i = 0; i < weights.length; i++)
      weights[i] = Math.max(0, weights[i] - 10 * (slopes[i] + 0.001 * weights[i]));
    bias -= 10 * slope;
  }
  // What next to no honest tool does is enough alone, also where the yardstick's attacks do more at once.
  const honest = data.filter(({ isPoisoned }) => !isPoisoned);
  const all = [honest, ...[...catalogues].flatMap(([name, tools]) => (name === TEST ? [] : [tools]))];
  const given = FEATURES.map((_, i) =>
    Math.max(...all.map((tools) => tools.filter(({ values }) => values[i] > 0).length / tools.length)),
  );
  for (let round = 0; round < 8; round++) {
    bias = toBar({ weights, bias }, honest);
    for (const [i, { isClue }] of FEATURES.entries()) {
      // A clue that no honest tool gave is half of what it takes.
      const least = isClue === true ? (given[i] === 0 ? -bias / 2 : 0) : given[i] <= RARE ? 0.1 - bias : 0;
      weights[i] = Math.max(weights[i], least);
      // One clue alone is none.
      if (isClue === true) weights[i] = Math.min(weights[i], -bias - 0.1);
    }
  }
  return { weights, bias };
}

function toBar({ weights, bias }, honest) {
  // The bar is 0.5: the odds of a real tool reach it as often as ALARMS says.
  const scores = honest.map(({ values }) => odds({ weights, bias }, values)).sort((a, b) => b - a);
  return bias - scores[Math.floor(scores.length * ALARMS)] - 1e-6;
}

function odds({ weights, bias }, values) {
  return values.reduce((sum, value, i) => sum + value * weights[i], bias);
}

function share(model, some) {
  const found = some.filter(({ values }) => odds(model, values) >= 0).length;
  return `${found}/${some.length}`;
}

const model = fitWeights(rows);
for (const signal of ['explicit', 'promotional'])
  process.stdout.write(
    `${signal} ${share(
      model,
      rows.filter((row) => row.signal === signal),
    )}\n`,
  );
process.stdout.write(
  `alarms ${share(
    model,
    rows.filter(({ isPoisoned }) => !isPoisoned),
  )}\n`,
);
for (const [name, tools] of catalogues) process.stdout.write(`alarms ${name} ${share(model, tools)}\n`);
for (const source of new Set(rows.map((row) => row.source))) {
  const rest = fitWeights(rows.filter((row) => row.source !== source));
  process.stdout.write(
    `without ${source}: ${share(
      rest,
      rows.filter((row) => row.source === source),
    )}\n`,
  );
}
if (flag !== '--check')
  writeFileSync(
    TARGET,
    `// Written by scripts/train-definition-scorer.mjs. Do not edit.

/** What each reason of features.ts adds to the logarithm of the odds; never below 0: a reason may raise, none clears. */
export const WEIGHTS: ReadonlyMap<string, number> = new Map([
${FEATURES.map(({ id }, i) => `  ['${id}', ${Number(model.weights[i].toFixed(2))}],`).join('\n')}
]);

/** Of a definition that gives no reason; chosen so that ${ALARMS * 100} % of real tools score 0.5 or more. */
export const BIAS = ${(Math.floor(model.bias * 100) / 100 - 0.01).toFixed(2)};
`,
  );
