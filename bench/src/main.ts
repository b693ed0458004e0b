import { parseArgs } from 'node:util';
import { runAudit } from './audit/run-audit.ts';
import { runDetection } from './detection/run-detection.ts';
import { runDiscovery } from './discovery/run-discovery.ts';
import { runFaults } from './faults/run-faults.ts';
import { runGateway } from './gateway/run-gateway.ts';
import { runGrowth } from './growth/run-growth.ts';
import { runHonest } from './honest/run-honest.ts';
import { runKit } from './kit/run-kit.ts';
import { runPolicy } from './policy/run-policy.ts';
import { stopAll } from './process/child.ts';
import { runProfile } from './profile/run-profile.ts';
import { runRelay } from './relay/run-relay.ts';
import { runReplicas } from './replicas/run-replicas.ts';
import { runStall } from './stall/run-stall.ts';

const USAGE = `usage: npm run bench -- <bench> [options]

  gateway   what a call costs through Sallyport, a raw proxy, an SDK relay and peers
    --json            one JSON object on stdout
    --quick           the cells the figures need, fewer rounds, two rivals: two to three minutes
    --against NAMES   rivals to measure, comma separated; all or none
    --rounds N        rounds of each key cell
  audit     what the record of calls costs: per call in each mode, per seal, to verify
    --json            one JSON object on stdout
    --rounds N        (default 9)
  policy    what 50 policies cost: per call, kept or decided anew, and to check
    --json            one JSON object on stdout
    --rounds N        (default 9)
  detection what the readers find in a yardstick of attacks and honest texts, and how fast
    --data DIR        folder with the files poisoned_tools.dev.jsonl (or .heldout.jsonl), …
    --json            one JSON object on stdout
    --split NAME      dev or heldout, where both are there (default dev)
    --only PARTS      explicit,block,promotional,schema,context,parameter,shadow,change,result,egress,containment,speed
    --show FIGURE     the missed rows or false alarms of a figure, for people to look at
  discovery how many of the right tools a search finds, beside plain searches, and how fast
    --data DIR        folder with the files catalog-livemcp.jsonl, queries-livemcp.dev.jsonl (or .heldout.jsonl), …
    --json            one JSON object on stdout
    --split NAME      dev or heldout, where both are there (default dev)
    --cache DIR       where minisearch is installed (default ~/.cache/sallyport-bench/discovery)
  honest    what honest work feels of the protection: real servers, files and tasks
    --json            one JSON object on stdout
    --cache DIR       where servers of the npm registry are installed (default ~/.cache/sallyport-bench/honest)
    --only PARTS      files,tools,tasks,drill
    --show FIGURE     the cases behind a figure, one JSON object a line
  replicas  what it costs that several processes share what runs have read
    --json            one JSON object on stdout
    --rounds N        (default 9)
  relay     what clients notice of servers that hang, come late, are many, or are configured anew
    --json            one JSON object on stdout
    --only PARTS      starts,late,silent,cold,reloads
  stall     how long anybody waits while expensive messages of others pass
    --json            one JSON object on stdout
    --quick           each text in one kind of message
  kit       what the kit and the linter cost, beside the SDK alone
    --json            one JSON object on stdout
    --data DIR        folder with the file catalog-aliyun-zh.jsonl
    --only PARTS      hello,calls,starts,openapi,lint,pages
    --quick           fewer rounds, smaller files
  growth    what 10,000 tools, 60 callers and 1,000 policies cost
    --json            one JSON object on stdout
    --only PARTS      cold,callers,policies
    --quick           a tenth of the tools
  faults    what goes wrong in operation: a full disk, kills, restarts, floods, hours; as root
    --json            one JSON object on stdout
    --only PARTS      disk,kill,roll,slow-disk,flood,soak
    --quick           a soak of 5 minutes instead of 25
  profile   where the time of the middle process goes
    --target NAME     sallyport, raw, sdk-relay, … (default sallyport)
    --seconds N       length of the load (default 10)
    --era ERA         legacy or modern (default modern)
    --tool TOOL       echo or big (default echo)
    --upstream KIND   http or stdio (default http)
    --callers N       (default 16)
    --keep FILE       also copy the .cpuprofile there
`;

const { values, positionals } = readOptions();

function readOptions() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        json: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        against: { type: 'string' },
        rounds: { type: 'string' },
        target: { type: 'string', default: 'sallyport' },
        seconds: { type: 'string', default: '10' },
        era: { type: 'string', default: 'modern' },
        tool: { type: 'string', default: 'echo' },
        upstream: { type: 'string', default: 'http' },
        callers: { type: 'string', default: '16' },
        keep: { type: 'string' },
        data: { type: 'string' },
        cache: { type: 'string' },
        split: { type: 'string' },
        only: { type: 'string' },
        show: { type: 'string' },
      },
    });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exit(1);
  }
}

/** Each prints its own progress on stderr and returns what belongs on stdout. */
const BENCHES = new Map<string, () => Promise<string>>([
  [
    'gateway',
    () =>
      runGateway({
        json: values.json,
        quick: values.quick,
        against: values.against?.split(','),
        rounds: values.rounds === undefined ? undefined : positive(values.rounds, '--rounds'),
      }),
  ],
  [
    'audit',
    () =>
      runAudit({ json: values.json, rounds: values.rounds === undefined ? 9 : positive(values.rounds, '--rounds') }),
  ],
  [
    'policy',
    () =>
      runPolicy({ json: values.json, rounds: values.rounds === undefined ? 9 : positive(values.rounds, '--rounds') }),
  ],
  [
    'replicas',
    () =>
      runReplicas({ json: values.json, rounds: values.rounds === undefined ? 9 : positive(values.rounds, '--rounds') }),
  ],
  ['kit', () => runKit(values.data, { json: values.json, only: values.only?.split(','), quick: values.quick })],
  ['faults', () => runFaults({ json: values.json, only: values.only?.split(','), quick: values.quick })],
  ['growth', () => runGrowth({ json: values.json, only: values.only?.split(','), quick: values.quick })],
  ['stall', () => runStall({ json: values.json, only: undefined, quick: values.quick })],
  ['relay', () => runRelay({ json: values.json, only: values.only?.split(','), quick: values.quick })],
  [
    'detection',
    () => {
      if (values.data === undefined) throw new Error('detection needs --data DIR');
      return runDetection({
        json: values.json,
        directory: values.data,
        splits: values.split === undefined ? ['dev', 'heldout'] : [values.split],
        only: values.only?.split(','),
        show: values.show,
      });
    },
  ],
  [
    'discovery',
    () => {
      if (values.data === undefined) throw new Error('discovery needs --data DIR');
      return runDiscovery({
        json: values.json,
        directory: values.data,
        splits: values.split === undefined ? ['dev', 'heldout'] : [values.split],
        cache: values.cache,
      });
    },
  ],
  [
    'honest',
    () => runHonest({ json: values.json, cache: values.cache, only: values.only?.split(','), show: values.show }),
  ],
  [
    'profile',
    () =>
      runProfile({
        target: values.target,
        seconds: positive(values.seconds, '--seconds'),
        era: oneOf(values.era, ['legacy', 'modern'], '--era'),
        tool: oneOf(values.tool, ['echo', 'big'], '--tool'),
        via: oneOf(values.upstream, ['http', 'stdio'], '--upstream'),
        callers: positive(values.callers, '--callers'),
        keep: values.keep,
      }),
  ],
]);

function positive(text: string, option: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${option} needs a positive whole number`);
  return value;
}

function oneOf<T extends string>(text: string, allowed: readonly T[], option: string): T {
  const found = allowed.find((one) => one === text);
  if (found === undefined) throw new Error(`${option} is one of ${allowed.join(', ')}`);
  return found;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => void stopAll().finally(() => process.exit(130)));
}
const bench = BENCHES.get(positionals[0] ?? '');
if (values.help) process.stdout.write(USAGE);
else if (bench === undefined) {
  const problem = positionals[0] === undefined ? 'which bench?' : `there is no bench "${positionals[0]}"`;
  process.stderr.write(`${problem}\n\n${USAGE}`);
  process.exitCode = 1;
} else {
  try {
    const text = await bench();
    await stopAll();
    // Exit only when the pipe has taken it: process.exit cuts off what is still buffered.
    process.stdout.write(text, () => process.exit(0));
  } catch (error) {
    await stopAll();
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
