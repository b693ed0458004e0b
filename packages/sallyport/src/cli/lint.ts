import { readFile, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { createInspection } from '../app/inspect-definition.ts';
import { toPeers } from '../catalog/pins/peers.ts';
import { FaultError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import { compareTools } from '../lint/compare.ts';
import { type LintFinding, type LintReport, lint as lintServer } from '../lint/lint.ts';
import { LIVE_RULES } from '../lint/live-rules.ts';
import { mendTools } from '../lint/mend.ts';
import { countOf, REPORTERS } from '../lint/reporters.ts';
import { type Level, nameOf, type Subject } from '../lint/rule.ts';
import { findRule, RULES } from '../lint/rules.ts';
import { VERSION } from '../version.ts';
import { type Command, type Input, isSet, type Output, textOption } from './command.ts';
import { describeFixes, toValue, writeFixes } from './lint-fix.ts';
import { callLive } from './lint-live.ts';
import { listItems, PROMPTS, RESOURCES, TOOLS } from './list-items.ts';
import { type Session, withSessions } from './open-session.ts';
import { readDefinitions } from './read-definitions.ts';
import { readStdin } from './read-stdin.ts';
import { splitTarget, TARGET_FLAGS } from './resolve-target.ts';

/** Exit code for findings at or above `--fail-on`. */
const FOUND = 6;
const LEVELS: readonly Level[] = ['error', 'warning', 'note'];
/** In `_meta` of a tool: rules its author has decided against. */
const OFF = 'io.sallyport/lint-off';

export const lint: Command = {
  name: 'lint',
  summary: 'check the definitions of a server against the rules of good servers; exit code 6: there are findings',
  words: [
    [
      '[target]',
      'a URL, a saved server, a file of servers (mcp.json#name), a JSON file of definitions (- for stdin), or a command after --',
    ],
  ],
  dashes: 'target',
  options: [
    { flags: '--fail-on <level>', meaning: 'exit with 6 from this level on: error (default), warning, note or none' },
    { flags: '--reporter <name>', meaning: `how findings are written: ${[...REPORTERS.keys()].join(', ')}` },
    { flags: '--baseline <file>', meaning: 'leave out the findings in this file' },
    { flags: '--write-baseline <file>', meaning: 'write the findings to this file and succeed' },
    {
      flags: '--fix',
      meaning: 'write the definitions with suggested changes to <file>.fixed.json or <server>.fixed.json',
    },
    { flags: '--in-place', meaning: 'with --fix: change the file itself, and report what is left' },
    { flags: '--out <file>', meaning: 'with --fix: write them here' },
    { flags: '--compare <file>', meaning: 'compare with the definitions of an earlier version in this JSON file' },
    { flags: '--call', meaning: 'also call the read-only tools and look at their answers' },
    { flags: '--explain <rule>', meaning: 'explain one rule; "all" lists them' },
    ...TARGET_FLAGS,
  ],
  example: 'sallyport lint -- npx -y @modelcontextprotocol/server-everything',
  async run(input) {
    const rule = textOption(input.options, 'explain');
    if (rule !== undefined) return explain(rule);
    const found = await readTarget(input);
    const earlier = textOption(input.options, 'compare');
    if (earlier !== undefined) return compare(found, await readTools(earlier, input));
    return report(found, input);
  },
};

/** One server as it was found, and what it answered where it was called. */
interface Found {
  readonly server: string;
  readonly tools: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly instructions: string | undefined;
  readonly live: readonly LintFinding[];
  /** Left out for a server that was asked. */
  readonly source?: { readonly file: string; readonly document: unknown };
}

async function readTarget(input: Input): Promise<readonly Found[]> {
  const { target } = splitTarget(input);
  if (target === undefined && input.dashed === undefined)
    throw new FaultError('usage', 'Name what to lint: a URL, a server, a file, or a command after "--".');
  if (input.dashed === undefined && (target === '-' || target?.endsWith('.json') === true)) {
    const document = await readJson(target, input);
    if (!['mcpServers', 'servers', 'mcp'].some((key) => isObject(member(document, key))))
      return [fromFile(document, target)];
  }
  return withSessions(input, target, async (sessions) => {
    const found: Found[] = [];
    for (const session of sessions) found.push(await readServer(session, isSet(input.options, 'call')));
    return found;
  });
}

async function readServer(session: Session, isCalled: boolean): Promise<Found> {
  const { instructions } = await session.identify();
  const items = async (rules: typeof TOOLS): Promise<readonly JsonObject[]> => {
    const listed = await listItems(session, rules);
    return listed.kind === 'items' ? listed.items : [];
  };
  const tools = await items(TOOLS);
  return {
    server: session.server,
    tools,
    prompts: await items(PROMPTS),
    resources: await items(RESOURCES),
    instructions,
    live: isCalled ? await callLive(session, tools) : [],
  };
}

function fromFile(document: unknown, file: string): Found {
  const server = file === '-' ? 'stdin' : basename(file);
  const definitions = readDefinitions(document, server);
  const of = (kind: string) => definitions.filter((one) => one.kind === kind).map(({ definition }) => definition);
  const instructions = of('instructions')[0];
  return {
    server,
    tools: of('tools'),
    prompts: of('prompts'),
    resources: of('resources'),
    instructions: instructions === undefined ? undefined : String(member(instructions, 'instructions')),
    live: [],
    source: { file, document },
  };
}

/** Whether the author switched a rule off for a tool, by the tool's name. */
function switchesOf({ tools }: Found): (rule: string, tool: string | undefined) => boolean {
  const off = new Map(tools.map((tool) => [nameOf(tool), member(member(tool, '_meta'), OFF)]));
  return (rule, tool) => {
    const rules = tool === undefined ? undefined : off.get(tool);
    return Array.isArray(rules) && rules.includes(rule);
  };
}

function toReport(found: Found): LintReport {
  const inspection = createInspection();
  const peers = toPeers(found.server, found.tools);
  const subject: Subject = {
    ...found,
    scan: (definition) =>
      inspection.inspect({ server: found.server, kind: 'tools', name: nameOf(definition), definition }, peers).findings,
  };
  const report = lintServer(subject, switchesOf(found));
  return { ...report, findings: [...report.findings, ...found.live] };
}

async function report(found: readonly Found[], input: Input): Promise<Output> {
  const { options, terminal } = input;
  const failOn = textOption(options, 'failOn') ?? 'error';
  if (failOn !== 'none' && !LEVELS.includes(failOn as Level))
    throw new FaultError('usage', `--fail-on is error, warning, note or none, not "${failOn}".`);
  const name = textOption(options, 'reporter') ?? 'text';
  const reporter = REPORTERS.get(name);
  if (reporter === undefined)
    throw new FaultError('usage', `--reporter is one of ${[...REPORTERS.keys()].join(', ')}, not "${name}".`);
  const isInPlace = isSet(options, 'inPlace');
  const out = textOption(options, 'out');
  if (!isSet(options, 'fix') && (isInPlace || out !== undefined))
    throw new FaultError('usage', '--in-place and --out say where --fix writes: give --fix as well.');
  const fixables = isSet(options, 'fix')
    ? found.map((one) => ({ ...one, mended: mendTools(one.tools, switchesOf(one)) }))
    : [];
  const fixes = await writeFixes(fixables, { out, isInPlace, cwd: terminal.cwd });
  const now = isInPlace ? fixables.map((one) => ({ ...one, tools: one.mended.map(({ after }) => after) })) : found;
  const all = now.map(toReport);
  const written = textOption(options, 'writeBaseline');
  const baseline = textOption(options, 'baseline');
  if (written !== undefined) {
    const keys = [...new Set(all.flatMap(({ findings }) => findings.map(toKey)))].sort();
    await writeFile(resolve(terminal.cwd, written), `${JSON.stringify(keys, undefined, 2)}\n`);
  }
  const known = new Set(baseline === undefined ? [] : await readBaseline(baseline, input));
  const reports = all.map((one) => ({
    ...one,
    findings: one.findings.filter((finding) => !known.has(toKey(finding))),
  }));
  const counted = LEVELS.map((level) => countOf(reports, level));
  const failing =
    failOn === 'none' ? 0 : counted.slice(0, LEVELS.indexOf(failOn as Level) + 1).reduce((sum, one) => sum + one, 0);
  return {
    value: JSON.parse(JSON.stringify({ reports, ...(fixes.length > 0 ? { fixes: fixes.map(toValue) } : {}) })) as Json,
    text: reporter(reports, VERSION),
    remarks: [
      `${counted[0]} errors, ${counted[1]} warnings, ${counted[2]} notes${known.size > 0 ? ', beside those in the baseline' : ''}.`,
      ...fixes.map(describeFixes),
      ...(failing > 0 ? ['"sallyport lint --explain <rule>" explains a rule.'] : []),
    ],
    exit: written === undefined && failing > 0 ? FOUND : 0,
  };
}

/** A finding keeps its key when definitions move or texts around it change. */
function toKey({ server, tool, rule, path }: LintFinding): string {
  return [rule, server, tool ?? '', path ?? ''].join(' ');
}

function compare(found: readonly Found[], earlier: readonly JsonObject[]): Output {
  const changes = compareTools(
    earlier,
    found.flatMap(({ tools }) => tools),
  );
  const breaking = changes.filter(({ weight }) => weight === 'breaking').length;
  return {
    value: { changes: changes.map((change) => ({ ...change })) },
    text: changes.map(({ weight, tool, message }) => `${weight.padEnd(10)}  ${tool}  ${message}`).join('\n'),
    remarks: [`${changes.length} changes, ${breaking} of them breaking.`],
    exit: breaking > 0 ? FOUND : 0,
  };
}

function explain(id: string): Output {
  if (id === 'all') {
    const rows = [...RULES, ...LIVE_RULES].map(({ id: rule, level, requires }) => ({ rule, level, requires }));
    return {
      value: { rules: rows },
      text: rows.map(({ rule, level, requires }) => `${rule.padEnd(34)} ${level.padEnd(8)} ${requires}`).join('\n'),
    };
  }
  const rule = findRule(id) ?? LIVE_RULES.find((one) => one.id === id);
  if (rule === undefined)
    throw new FaultError('usage', `There is no rule "${id}". "sallyport lint --explain all" lists them.`);
  const { level, requires, why, fix } = rule;
  const [good, bad] = 'good' in rule ? [rule.good[0], rule.bad[0]] : [];
  const examples =
    good === undefined || bad === undefined ? [] : ['', 'Keeps it:', toJson(good), '', 'Breaks it:', toJson(bad)];
  return {
    value: { rule: id, level, requires, why, fix, ...(good && bad ? { good, bad } : {}) },
    text: [`${id} (${level})`, '', `${requires}.`, why, fix, ...examples].join('\n'),
  };
}

function toJson(value: JsonObject): string {
  return JSON.stringify(value, undefined, 2);
}

async function readTools(file: string, input: Input): Promise<readonly JsonObject[]> {
  return fromFile(await readJson(file, input), file).tools;
}

async function readBaseline(file: string, input: Input): Promise<readonly string[]> {
  const keys = await readJson(file, input);
  if (Array.isArray(keys) && keys.every((key) => typeof key === 'string')) return keys;
  throw new FaultError('usage', `${file} is not a baseline. --write-baseline writes one.`);
}

async function readJson(file: string, { terminal, signal }: Input): Promise<unknown> {
  let text: string;
  try {
    text = file === '-' ? await readStdin(terminal, signal) : await readFile(resolve(terminal.cwd, file), 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw new FaultError('usage', `${file} cannot be read${code}. Check the path and your rights.`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FaultError('usage', `${file} is not JSON. Give the answer to tools/list.`, { cause });
  }
}
