import { createHmac, randomUUID } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Post } from '../core/post.ts';
import { type Approval, toApprovalJson } from '../guard/approve/approval.ts';

export interface WebhookTarget {
  readonly url: string;
  /** Name of the environment variable with the secret. */
  readonly secretEnv: string;
}

export interface WebhookPorts {
  readonly target: () => WebhookTarget | undefined;
  readonly readSecret: (name: string) => string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Default: any address that its name leads to. */
  readonly post?: Post | undefined;
  /** Between the tries; milliseconds. */
  readonly pausesMs?: readonly number[];
}

export interface ApprovalWebhook {
  /** Whether somebody is to be told. */
  isOn(): boolean;
  /** Never waits, never throws; what cannot be delivered is logged. */
  send(event: 'asked' | 'answered', approval: Approval): void;
  /** Gives up what is under way. Idempotent. */
  close(): void;
}

const PAUSES_MS = [500, 2_000, 8_000];
const ANSWER_MS = 5_000;
const MAX_UNDER_WAY = 64;
/** Shorter ones are guessed from one signed message. Characters. */
const SHORTEST_SECRET = 16;

/**
 * Tells another system about approvals. The header `Sallyport-Signature: v1=<hex>` is HMAC-SHA256 over
 * `<Sallyport-Timestamp>.<body>`: a receiver that checks both refuses forgeries and what is older than a few minutes.
 */
export function createApprovalWebhook(ports: WebhookPorts): ApprovalWebhook {
  const closing = new AbortController();
  let underWay = 0;
  return {
    isOn: () => ports.target() !== undefined && !closing.signal.aborted,
    send(event, approval) {
      const target = ports.target();
      if (target === undefined || closing.signal.aborted) return;
      const secret = ports.readSecret(target.secretEnv);
      // The path of many webhooks is their key.
      const about = { approval: approval.id, host: toHost(target.url) };
      if (secret === undefined || secret.length < SHORTEST_SECRET) {
        ports.log.error(
          about,
          `the webhook was not sent: ${target.secretEnv} holds no secret of ${SHORTEST_SECRET} characters or more`,
        );
        return;
      }
      if (underWay >= MAX_UNDER_WAY) {
        ports.log.error(about, 'the webhook was not sent: too many are under way');
        return;
      }
      underWay++;
      const body = JSON.stringify({ event: `approval.${event}`, approval: toApprovalJson(approval) });
      void deliver({ ports, target, secret, body, signal: closing.signal })
        .then((problem) => {
          if (problem !== undefined) ports.log.error({ ...about, problem }, 'the webhook was not delivered');
        })
        .finally(() => underWay--);
    },
    close: () => closing.abort(),
  };
}

function toHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'no URL';
}

interface Delivery {
  readonly ports: WebhookPorts;
  readonly target: WebhookTarget;
  readonly secret: string;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** What went wrong the last time, or `undefined`. Never rejects. */
async function deliver(delivery: Delivery): Promise<string | undefined> {
  const id = randomUUID();
  const pauses = delivery.ports.pausesMs ?? PAUSES_MS;
  let problem: string | undefined;
  for (let round = 0; round <= pauses.length; round++) {
    problem = await post(delivery, id);
    if (problem === undefined || delivery.signal.aborted) return problem;
    await pause(pauses[round] ?? 0, delivery.signal);
  }
  return problem;
}

async function post({ ports, target, secret, body, signal }: Delivery, id: string): Promise<string | undefined> {
  const timestamp = String(Math.floor(ports.clock.now() / 1_000));
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  try {
    const answer = await (ports.post ?? fetch)(target.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'sallyport-delivery': id,
        'sallyport-timestamp': timestamp,
        'sallyport-signature': `v1=${signature}`,
      },
      body,
      // A redirect would carry the arguments to an address nobody wrote down.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    });
    await answer.body?.cancel();
    return answer.ok ? undefined : `HTTP ${answer.status}`;
  } catch (error) {
    return error instanceof Error ? error.name : 'failed';
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted || ms === 0) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    timer.unref();
    signal.addEventListener('abort', end);
  });
}
