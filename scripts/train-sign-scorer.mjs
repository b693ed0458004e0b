// Fits packages/sallyport/src/guard/scan/results/sign-weights.ts: what signs add that a text is an order to a model.
//
// Reads our own texts (bench/texts), the guides of the packages in node_modules, and the honest results of the yardstick in
// place; no attack of the yardstick is seen. Writes numbers only.
// Run: npx tsc -b && node scripts/train-sign-scorer.mjs DIR [--check]
// --check writes nothing: it fits to all authors' orders but one's and says how many of that one's, of those that are never
// fitted to, and of the yardstick's are found; then what the product finds of those that are never fitted to.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [DIR, flag] = process.argv.slice(2);
if (DIR === undefined) throw new Error('usage: node scripts/train-sign-scorer.mjs DIR [--check]');
const RESULTS = new URL('../packages/sallyport/dist/guard/scan/results/', import.meta.url);
const TARGET = 'packages/sallyport/src/guard/scan/results/sign-weights.ts';
/** Shares of the yardstick's honest results, and of our own honest texts, that may reach the bar: those are nearly orders. */
const ALARMS = 0.002;
const HARD_ALARMS = 0.01;
/** How often a text counts in which our tests promise to find nothing. */
const PROMISED = 6;
/** Texts that nothing was fitted to score higher than these. */
const MARGIN = 0.15;
/** Weights below this are none. */
const LEAST = 0.05;
const ROUNDS = 40;
const RATE = 0.05;
/** Draws every weight that nothing holds up to 0. */
const SHRINK = 0.05;
/** Pairs that stand in fewer texts than this say nothing. */
const MIN_TEXTS = 4;
const MAX_GUIDE = 60_000;

const { scanText } = await import(new URL('../scan-text.js', RESULTS).href);
const { readWords } = await import(new URL('read-words.js', RESULTS).href);
const { findSuspect } = await import(new URL('find-suspect.js', RESULTS).href);
const { readSigns } = await import(new URL('read-signs.js', RESULTS).href);
const { passagesOf, readAllSigns, SIGNS } = await import(new URL('weigh-signs.js', RESULTS).href);
const COUNT = SIGNS.length;

const read = (file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const orders = read('bench/texts/orders.jsonl');
const honest = read('bench/texts/honest.jsonl');
const yardstick = (name) => read(join(DIR, `${name}.dev.jsonl`));
const toText = ({ result, injected_text: injected }) =>
  typeof result === 'string' ? result : result === undefined ? injected : JSON.stringify(result);
const results = yardstick('benign_results').map(toText);

/** Each passage of a text as the places of its pairs; a text is as bad as its worst passage. */
function toPassages(text) {
  const passages = new Map();
  for (const { start, end } of findSuspect(text, readWords(text)))
    for (const passage of passagesOf(readSigns(text, start, end))) {
      const signs = readAllSigns(text, passage);
      const pairs = signs.flatMap((first, at) => signs.slice(at).map((second) => first * COUNT + second));
      passages.set(signs.join(), Int32Array.from(pairs));
    }
  return [...passages.values()];
}

function weigh(pairs, { weights, bias }) {
  let sum = bias;
  for (const pair of pairs) sum += weights[pair];
  return sum;
}

function worst(passages, model) {
  let score = Number.NEGATIVE_INFINITY;
  let at = -1;
  passages.forEach((pairs, i) => {
    const one = weigh(pairs, model);
    if (one > score) [score, at] = [one, i];
  });
  return { score, at };
}

/** Logistic regression by steps, on the worst passage of each text. */
function fitTo(bad, good) {
  const model = { weights: new Float32Array(COUNT * COUNT), bias: -2 };
  const squares = new Float32Array(COUNT * COUNT);
  const texts = new Uint16Array(COUNT * COUNT);
  const all = [...bad.map((one) => [one, 1]), ...good.map((one) => [one, 0])].filter(([{ length }]) => length > 0);
  for (const [passages] of all) for (const pair of new Set(passages.flatMap((one) => [...one]))) texts[pair]++;
  let seed = 7;
  const next = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed / 2 ** 32;
  };
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = all.length - 1; i > 0; i--) {
      const j = Math.floor(next() * (i + 1));
      [all[i], all[j]] = [all[j], all[i]];
    }
    for (const [passages, wanted] of all) {
      const { score, at } = worst(passages, model);
      const error = wanted - 1 / (1 + Math.exp(-score));
      if (Math.abs(error) < 0.005) continue;
      model.bias += RATE * 0.1 * error;
      for (const pair of passages[at]) {
        if (texts[pair] < MIN_TEXTS) continue;
        const step = error - SHRINK * Math.sign(model.weights[pair]);
        squares[pair] += step * step;
        model.weights[pair] += (RATE * step) / Math.sqrt(squares[pair] + 1);
      }
    }
  }
  const rounded = model.weights.map((one) => (Math.abs(one) < LEAST ? 0 : Math.round(one * 100) / 100));
  return { weights: rounded, bias: model.bias };
}

/** Of `{ text, kind }`: what is nearly an order counts twice. */
const toHard = (texts) =>
  texts.flatMap(({ text, kind }) => Array.from({ length: kind === 'table' ? PROMISED : 2 }, () => toPassages(text)));

/** The bar stands where few honest texts reach it. */
function setBar(model, { known, hard }) {
  const highest = (texts, alarms) =>
    texts.map((one) => worst(one, model).score).sort((a, b) => b - a)[Math.floor(texts.length * alarms)];
  const bar = Math.max(highest(known, ALARMS), highest(hard, HARD_ALARMS)) + MARGIN;
  return { ...model, bias: Math.round((model.bias - bar) * 100) / 100 };
}

function findGuides(folder, found = []) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) findGuides(path, found);
    else if (/\.md$/i.test(entry.name)) found.push(readFileSync(path, 'utf8').slice(0, MAX_GUIDE));
  }
  return found;
}

const half = (list, rest) => list.filter((_, at) => at % 2 === rest);
const share = (texts, model) => {
  const reached = texts.filter((text) => worst(toPassages(text), model).score >= 0).length;
  return `${reached} of ${texts.length} (${((100 * reached) / texts.length).toFixed(1)} %)`;
};
const guides = [...new Set(findGuides('node_modules'))].map(toPassages);

if (flag === '--check') {
  const of = (author) => orders.filter((one) => one.author === author).map(({ text }) => text);
  const attacks = yardstick('injected_results');
  const unseen = (file) => read(`bench/texts/unseen-${file}.jsonl`).map(({ text }) => text);
  for (const unknown of [...new Set(orders.map(({ author }) => author))]) {
    const good = { known: half(results, 0).map(toPassages), hard: toHard(half(honest, 0)) };
    const bad = orders.filter(({ author }) => author !== unknown).map(({ text }) => toPassages(text));
    const model = setBar(fitTo(bad, [...good.known, ...good.hard, ...guides]), good);
    console.log(`fitted to the orders of all but ${unknown}, half of the honest texts and results:`);
    console.log(`  orders of ${unknown}: ${share(of(unknown), model)}`);
    console.log(`  orders that are never fitted to: ${share(unseen('orders'), model)}`);
    console.log(`  honest texts that are never fitted to: ${share(unseen('honest'), model)}`);
    for (const strength of ['explicit', 'weak', 'implicit']) {
      const texts = attacks.filter((one) => one.strength === strength).map(toText);
      console.log(`  ${strength} attacks of the yardstick: ${share(texts, model)}`);
    }
    console.log(
      `  the other half of the honest texts: ${share(
        half(honest, 1).map(({ text }) => text),
        model,
      )}`,
    );
    console.log(`  the other half of the honest results: ${share(half(results, 1), model)}`);
  }
  const flagged = (texts) => `${texts.filter((text) => scanText(text).findings.length > 0).length} of ${texts.length}`;
  console.log('rules and weights as they are, of what is never fitted to:');
  console.log(`  orders: ${flagged(unseen('orders'))}`);
  console.log(`  honest texts: ${flagged(unseen('honest'))}`);
} else {
  const good = { known: results.map(toPassages), hard: toHard(honest) };
  const bad = orders.map(({ text }) => toPassages(text));
  const { weights, bias } = setBar(fitTo(bad, [...good.known, ...good.hard, ...guides]), good);
  const lines = [];
  weights.forEach((weight, pair) => {
    if (weight === 0) return;
    const [first, second] = [Math.floor(pair / COUNT), pair % COUNT];
    lines.push(`${weight.toFixed(2)} ${SIGNS[first]}${second === first ? '' : ` ${SIGNS[second]}`}`);
  });
  writeFileSync(
    TARGET,
    `// Written by scripts/train-sign-scorer.mjs. Do not edit.\n\nexport const BIAS = ${bias};\n\n/** A weight, and the sign or the two signs it is of. */\nexport const SIGN_WEIGHTS = \`\n${lines.join('\n')}\n\`;\n`,
  );
  console.log(`${lines.length} weights written to ${TARGET}; the bar is at ${bias}`);
}
