import { DEFAULT_AUDIT } from '../config/audit-section.ts';
import { loadSnapshot } from '../config/load-snapshot.ts';
import { STARTER_SETS, type StarterSet } from '../config/policy-section.ts';
import type { Snapshot } from '../config/settings.ts';
import { SET_SUMMARIES } from './policy/starter-sets.ts';
import { SET_COSTS } from './set-costs.ts';

/** One door: what it does in each set, and what it costs. */
export interface SetRow {
  readonly door: string;
  /** Where the file changes it. */
  readonly setting: string;
  readonly sets: Readonly<Record<StarterSet, SetCell>>;
  readonly cost: string;
}

export interface SetCell {
  readonly on: boolean;
  readonly action: string;
}

type Describe = (snapshot: Snapshot) => SetCell;

const on = (action: string): SetCell => ({ on: true, action });
const OFF: SetCell = { on: false, action: 'off' };

interface Door {
  readonly door: keyof typeof SET_COSTS;
  readonly setting: string;
  readonly describe: Describe;
}

/** Each cell is read from the settings that a configuration of nothing but the set resolves to. */
const DOORS: readonly Door[] = [
  { door: 'permissions', setting: 'policy', describe: ({ set }) => SET_SUMMARIES[set] },
  {
    door: 'definitions, first seen',
    setting: 'pins.mode',
    describe: ({ pins }) =>
      pins === undefined || pins.mode === 'laptop' ? on('approved and logged') : on('quarantined'),
  },
  { door: 'definitions, changed', setting: 'pins', describe: () => on('quarantined') },
  {
    door: 'definitions with findings',
    setting: 'scan.definitions',
    describe: ({ scan }) => {
      if (scan === undefined || scan.definitions === 'off') return OFF;
      return on(scan.definitions === 'hold' ? 'block tier: quarantined; rest: shown' : 'shown');
    },
  },
  { door: 'results', setting: 'scan.results', describe: ({ scan }) => describeResults(scan) },
  {
    door: 'resources and links',
    setting: 'scan.resources',
    describe: ({ scan }) => {
      const { unlisted, names } = scan?.resources ?? {};
      const strict = names === 'require' ? '; names must resolve' : '';
      return on(`private addresses: deny; unlisted hosts: ${unlisted}${strict}`);
    },
  },
  {
    door: 'taint',
    setting: 'taint',
    describe: ({ taint }) =>
      taint === undefined ? OFF : on(byAction(taint.flows.map(({ name, action }) => [name, action]))),
  },
  {
    door: 'secrets in arguments',
    setting: 'secrets.arguments',
    describe: ({ secrets }) => (secrets === undefined ? OFF : toModes(secrets.arguments)),
  },
  {
    door: 'secrets in results',
    setting: 'secrets.results',
    describe: ({ secrets }) => (secrets === undefined ? OFF : toModes(secrets.results)),
  },
  {
    door: 'argument safety',
    setting: 'argumentSafety',
    describe: ({ argumentSafety }) => {
      if (!argumentSafety.enabled) return OFF;
      const weighed = byAction(Object.entries(argumentSafety.dangers).filter(([name]) => name !== 'outsideRoots'));
      return on(`never harmless: deny${weighed === '' ? '' : `; ${weighed}`}`);
    },
  },
  { door: 'forms that ask for secrets', setting: 'always', describe: () => on('refused') },
  {
    door: 'audit',
    setting: 'audit',
    describe: ({ audit }) => ((audit ?? DEFAULT_AUDIT).mode === 'off' ? OFF : on((audit ?? DEFAULT_AUDIT).mode)),
  },
];

const RESULTS: Readonly<Record<string, string>> = {
  warn: 'unchanged; a finding: one warning in front',
  'by-source': "other people's text: block tier withheld; rest: as laptop",
};

function describeResults(scan: Snapshot['scan']): SetCell {
  const results: string = scan?.results ?? 'off';
  return results === 'off' ? OFF : on(RESULTS[results] ?? results);
}

function toModes(groups: Readonly<Record<string, string>>): SetCell {
  const text = byAction(Object.entries(groups));
  return text === '' ? OFF : on(text);
}

/** `ask: a, b; deny: c`, without what is allowed. */
function byAction(named: readonly (readonly [name: string, action: string])[]): string {
  const actions = new Map<string, string[]>();
  for (const [name, action] of named)
    if (action !== 'allow') actions.set(action, [...(actions.get(action) ?? []), name]);
  return [...actions].map(([action, names]) => `${action}: ${names.join(', ')}`).join('; ');
}

/** What each set does, door by door: shown by `sallyport policy sets` and in the README. */
export function toSetTable(): readonly SetRow[] {
  const snapshots = new Map(STARTER_SETS.map((set) => [set, load(set)]));
  return DOORS.map(({ door, setting, describe }) => ({
    door,
    setting,
    sets: Object.fromEntries([...snapshots].map(([set, snapshot]) => [set, describe(snapshot)])) as SetRow['sets'], // one for each set
    cost: SET_COSTS[door],
  }));
}

function load(set: StarterSet): Snapshot {
  const text = JSON.stringify({ mcpServers: {}, policy: { set } });
  return loadSnapshot({ file: undefined, text, env: {}, stateDir: '/', version: 1 });
}
