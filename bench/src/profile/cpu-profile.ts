/** What V8 writes with --cpu-prof. Times are microseconds of the machine's monotonic clock. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

/** Time in one function, microseconds: in its own code, and with everything it called. */
export interface FunctionTime {
  readonly name: string;
  readonly place: string;
  selfUs: number;
  totalUs: number;
}

export interface ProfileSummary {
  readonly functions: readonly FunctionTime[];
  /** Time in samples that were not idle. */
  readonly busyUs: number;
}

/** Sums the samples taken between `fromUs` and `toUs`, so that starting and warming up do not count. */
export function summarizeProfile(profile: CpuProfile, fromUs: number, toUs: number): ProfileSummary {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map<number, number>();
  for (const node of profile.nodes) for (const child of node.children ?? []) parents.set(child, node.id);
  const own = new Map<number, number>();
  let at = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    at += profile.timeDeltas[index] ?? 0;
    // A sample stands for the time until the next one.
    const lasted = Math.max(0, profile.timeDeltas[index + 1] ?? 0);
    if (at >= fromUs && at <= toUs) own.set(id, (own.get(id) ?? 0) + lasted);
  }

  const functions = new Map<string, FunctionTime>();
  const timeOf = (id: number): FunctionTime | undefined => {
    const node = nodes.get(id);
    if (node === undefined) return undefined;
    const name = node.callFrame.functionName || '(anonymous)';
    const place = placeOf(node);
    const key = `${name} ${place}`;
    let time = functions.get(key);
    if (time === undefined) {
      time = { name, place, selfUs: 0, totalUs: 0 };
      functions.set(key, time);
    }
    return time;
  };
  let busyUs = 0;
  for (const [id, us] of own) {
    const self = timeOf(id);
    if (self === undefined) continue;
    self.selfUs += us;
    if (self.name !== '(idle)') busyUs += us;
    // A function counts once per sample, however often it stands on the stack.
    const seen = new Set<FunctionTime>();
    for (let up: number | undefined = id; up !== undefined; up = parents.get(up)) {
      const time = timeOf(up);
      if (time === undefined || seen.has(time)) continue;
      seen.add(time);
      time.totalUs += us;
    }
  }
  return { functions: [...functions.values()], busyUs };
}

function placeOf({ callFrame: { url, lineNumber } }: ProfileNode): string {
  if (url === '') return '';
  const path = url
    .replace(/^file:\/\//, '')
    .replace(/^.*\/node_modules\//, '')
    .replace(/^.*\/(packages|bench)\//, '$1/');
  return `${path}:${lineNumber + 1}`;
}
