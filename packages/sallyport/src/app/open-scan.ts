import { createKeptResults } from '../call/kept-results.ts';
import { createScanJudge } from '../call/scan-judge.ts';
import { createTextDoor, type TextDoor } from '../call/text-door.ts';
import { DEFAULT_SCAN, scanOf } from '../config/scan-section.ts';
import type { Snapshot } from '../config/settings.ts';
import type { JsonObject } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { NamePort } from '../core/name-port.ts';
import type { Note } from '../core/note.ts';
import type { Post } from '../core/post.ts';
import type { KeptResults } from '../guard/scan/results/kept-result.ts';
import type { ScanPorts } from '../guard/scan-result.ts';
import { classifyServer } from '../guard/sources/source-kind.ts';
import type { KeptResultStore } from '../storage/kept-results.ts';
import { hostOf } from './host-of.ts';

const HOUR = 3_600_000;

export interface ScanParts {
  readonly scan: ScanPorts;
  readonly texts: TextDoor;
  readonly keptResults: KeptResults;
}

/** How results and other texts of servers are read, by the snapshot in force. */
export function openScan(
  snapshot: () => Snapshot,
  basics: {
    readonly kept: () => Promise<KeptResultStore>;
    readonly log: Log;
    readonly note: Note;
    readonly names: NamePort;
    readonly post: Post;
    /** Of the tools of an upstream; `undefined`: not known yet. */
    readonly definitionsOf: (upstream: string) => readonly JsonObject[] | undefined;
  },
): ScanParts {
  const settings = ({ scan }: Snapshot = snapshot()) => scan ?? DEFAULT_SCAN;
  const mayKeep = (upstream: string) => {
    const { results } = scanOf(settings(), upstream);
    return results === 'quarantine' || results === 'by-source';
  };
  const keptResults = createKeptResults({ ...basics, keepMs: () => settings().keepHours * HOUR, mayKeep });
  const scan: ScanPorts = {
    settings,
    hostOf: (upstream, of = snapshot()) => hostOf(of, upstream),
    kindOf: (upstream, { servers } = snapshot()) => {
      const isStdio = servers.get(upstream)?.transport.type === 'stdio';
      return classifyServer(isStdio, basics.definitionsOf(upstream));
    },
    names: basics.names,
    kept: keptResults,
    judge: createScanJudge({ settings: () => settings().judge, log: basics.log, post: basics.post }),
  };
  return { scan, texts: createTextDoor({ ...scan, log: basics.log }), keptResults };
}
