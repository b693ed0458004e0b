import type { JudgeSettings } from '../config/scan-section.ts';
import type { FrozenSnapshot } from '../core/envelope.ts';
import { member } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { Post } from '../core/post.ts';
import type { ScanPorts } from '../guard/scan-result.ts';

/** More of a text than a judge needs. Characters. */
const MAX_TEXT = 16_384;
const MAX_ANSWER = 4_096;
const MAX_UNDER_WAY = 16;

export interface JudgePorts {
  /** `undefined`: nobody is asked. */
  readonly settings: (snapshot: FrozenSnapshot) => JudgeSettings | undefined;
  readonly log: Log;
  /** Default: any address that its name leads to. */
  readonly post?: Post | undefined;
}

/**
 * Asks a model of the operator's, by one POST with a deadline. Its answer raises or says nothing: a judge that reads hostile
 * text can be talked into anything, so nothing is cleared by it. Never rejects.
 */
export function createScanJudge({ settings, log, post = fetch }: JudgePorts): NonNullable<ScanPorts['judge']> {
  let underWay = 0;
  return (snapshot, { upstream, tool, item, result, findings }) => {
    const target = settings(snapshot);
    if (target === undefined || underWay >= MAX_UNDER_WAY) return undefined;
    underWay++;
    const body = JSON.stringify({
      server: upstream,
      tool,
      item,
      findings: findings.map(({ id, why, evidence }) => ({ id, why, evidence })),
      text: JSON.stringify(result).slice(0, MAX_TEXT),
    });
    return ask(target, body, post)
      .catch((error: unknown) => {
        log.warn({ upstream, tool, item, error }, 'the judge of results gave no answer; its findings stay as they are');
        return 'unsure' as const;
      })
      .finally(() => {
        underWay--;
      });
  };
}

async function ask({ url, timeoutMs }: JudgeSettings, body: string, post: Post): Promise<'suspicious' | 'unsure'> {
  const response = await post(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok || Number(response.headers.get('content-length') ?? 0) > MAX_ANSWER) {
    await response.body?.cancel();
    return 'unsure';
  }
  const said: unknown = JSON.parse((await response.text()).slice(0, MAX_ANSWER));
  return member(said, 'suspicious') === true ? 'suspicious' : 'unsure';
}
