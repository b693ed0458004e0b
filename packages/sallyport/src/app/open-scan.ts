import { createKeptResults } from '../call/kept-results.ts';
import { createScanJudge } from '../call/scan-judge.ts';
import { DEFAULT_SCAN, scanOf } from '../config/scan-section.ts';
import type { Snapshot } from '../config/settings.ts';
import type { FrozenSnapshot } from '../core/envelope.ts';
import type { JsonObject } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { NamePort } from '../core/name-port.ts';
import type { Note } from '../core/note.ts';
import type { Post } from '../core/post.ts';
import type { ResourcePorts } from '../guard/resources/resource-guards.ts';
import type { KeptResults } from '../guard/scan/results/kept-result.ts';
import type { ScanPorts } from '../guard/scan-result.ts';
import { snapshotOf } from '../guard/snapshot-of.ts';
import { classifyServer } from '../guard/sources/source-kind.ts';
import type { KeptResultStore } from '../storage/kept-results.ts';
import { toSafeName } from '../telemetry/redact-fields.ts';
import { hostOf } from './host-of.ts';

const HOUR = 3_600_000;

export interface ScanParts {
  readonly scan: ScanPorts;
  readonly resources: ResourcePorts;
  readonly keptResults: KeptResults;
}

/** How what servers send is read, and where resources may lead. */
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
  const settings = (frozen: FrozenSnapshot) => snapshotOf(frozen).scan ?? DEFAULT_SCAN;
  const mayKeep = (frozen: FrozenSnapshot, upstream: string) => {
    const { results } = scanOf(settings(frozen), upstream);
    return results === 'quarantine' || results === 'by-source';
  };
  const keepMs = () => (snapshot().scan ?? DEFAULT_SCAN).keepHours * HOUR;
  const keptResults = createKeptResults({ ...basics, keepMs, mayKeep });
  const places = {
    hostOf: (frozen: FrozenSnapshot, upstream: string) => hostOf(snapshotOf(frozen), upstream),
    names: basics.names,
  };
  return {
    scan: {
      ...places,
      settings,
      kindOf(frozen, upstream) {
        const isStdio = snapshotOf(frozen).servers.get(upstream)?.transport.type === 'stdio';
        return classifyServer(isStdio, basics.definitionsOf(upstream));
      },
      kept: keptResults,
      judge: createScanJudge({ settings: (frozen) => settings(frozen).judge, log: basics.log, post: basics.post }),
    },
    resources: {
      ...places,
      settings: (frozen, upstream) => scanOf(settings(frozen), upstream).resources,
      toShown: toSafeName,
    },
    keptResults,
  };
}
