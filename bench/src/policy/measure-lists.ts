import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../load/latency.ts';
import { openCaller } from '../load/open-caller.ts';
import { startNode } from '../process/child.ts';
import { createKey } from '../programs/guarded.ts';
import { HTTP_UPSTREAM } from '../programs/programs.ts';
import { launchSallyport, UNREAD } from '../programs/sallyport.ts';

/** What a list takes, asked over HTTP. Milliseconds; medians over the callers. */
export interface ListTimes {
  /** For a caller whose first list it is. */
  readonly first: number;
  readonly again: number;
}

const TOOLS = 500;
const CALLERS = 5;

/** `tools/list` of 500 tools for callers who were never seen before, under these policies (Cedar; `undefined`: none). */
export async function measureLists(directory: string, text: string | undefined): Promise<ListTimes> {
  mkdirSync(directory, { recursive: true });
  if (text !== undefined) writeFileSync(join(directory, 'team.cedar'), text);
  const upstream = startNode({ args: [HTTP_UPSTREAM], env: { BENCH_TOOLS: String(TOOLS - 2) } });
  const keys: string[] = [];
  for (let caller = 0; caller < CALLERS + 1; caller += 1) keys.push(await createKey(directory, `caller-${caller}`));
  const { port } = JSON.parse(await upstream.stdoutLine) as { port: number };
  const sections = {
    audit: { mode: 'off' },
    ...UNREAD,
    ...(text === undefined ? {} : { policy: { files: ['team.cedar'] } }),
  };
  const servers = { echo: { url: `http://127.0.0.1:${port}/mcp` } };
  const { child, target } = await launchSallyport(
    servers,
    { directory, via: 'http', upstreamUrl: '', nodeFlags: [] },
    { sections },
  );
  try {
    const first: number[] = [];
    const again: number[] = [];
    const [warming = '', ...measured] = keys;
    for (const key of [warming, ...measured]) {
      const caller = await openCaller({ ...(await target), headers: { authorization: `Bearer ${key}` } }, 'modern');
      const times = [await timeList(() => caller.list()), await timeList(() => caller.list())];
      await caller.close();
      // What the program pays once, like compiling, is nobody's first list.
      if (key === warming) continue;
      first.push(times[0] ?? Number.NaN);
      again.push(times[1] ?? Number.NaN);
    }
    return { first: median(first), again: median(again) };
  } finally {
    await child?.stop();
    await upstream.stop();
  }
}

async function timeList(list: () => Promise<readonly string[]>): Promise<number> {
  const startedAt = performance.now();
  const { length } = await list();
  if (length !== TOOLS) throw new Error(`${length} tools were listed, not ${TOOLS}`);
  return performance.now() - startedAt;
}
