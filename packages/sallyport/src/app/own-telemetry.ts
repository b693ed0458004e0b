import type { Snapshot } from '../config/settings.ts';
import type { Log } from '../core/log.ts';
import type { Post } from '../core/post.ts';
import type { InFlight } from '../gateway/in-flight.ts';
import { createTelemetry } from '../telemetry/telemetry.ts';
import type { Upstreams } from '../upstream/upstreams.ts';
import { VERSION } from '../version.ts';

/** `sessions` is known once there is a front. */
export function createOwnTelemetry(
  snapshot: () => Snapshot,
  { log, upstreams, inFlight, post }: { log: Log; upstreams: Upstreams; inFlight: InFlight; post: Post },
) {
  const fronts = { sessions: () => 0 };
  const telemetry = createTelemetry({
    settings: snapshot().telemetry,
    version: VERSION,
    log,
    post,
    sources: {
      inFlight: () => inFlight.count,
      sessions: () => fronts.sessions(),
      upstreams: () => [...snapshot().servers.keys()].flatMap((name) => upstreams.status(name) ?? []),
    },
  });
  return Object.assign(fronts, telemetry);
}
