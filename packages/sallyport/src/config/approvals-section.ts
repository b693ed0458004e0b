import { z } from 'zod';
import { matchesGlob } from '../core/glob.ts';
import { SINK_CLASSES, type SinkClass } from '../core/sink.ts';
import type { Path } from './parse-file.ts';

/** How people are asked, resolved. Times are milliseconds. */
export interface ApprovalSettings {
  readonly asks: readonly string[];
  readonly sampling: readonly string[];
  readonly ttlMs: number;
  readonly waitMs: number;
  readonly elicit: boolean;
  readonly selfApproval: boolean;
  readonly unattended: boolean;
  readonly twoPerson: readonly (SinkClass | 'any')[];
  readonly webhook?: { readonly url: string; readonly secretEnv: string } | undefined;
}

export const approvalsSchema = z.strictObject({
  asks: z
    .array(z.string().min(1).max(256))
    .max(1_000)
    .default([])
    .describe(
      'Tools whose every call asks a person, as <server>/<tool> under the server’s own names; * stands for any characters, ? for one.',
    ),
  sampling: z
    .array(z.string().min(1).max(256))
    .max(1_000)
    .default([])
    .describe(
      'Servers whose requests to the client’s model (sampling) a person looks at before they reach it; * stands for any characters, ? for one.',
    ),
  ttlMs: z
    .int()
    .min(1_000)
    .max(30 * 86_400_000)
    .default(600_000)
    .describe('How long a question to a person stays open. 10 min: who has not answered by then has gone.'),
  waitMs: z
    .int()
    .min(0)
    .max(3_600_000)
    .default(0)
    .describe(
      'How long a call waits for a person before its caller hears the id of the approval and calls again. 0, because most clients give up after a minute.',
    ),
  elicit: z
    .boolean()
    .default(true)
    .describe(
      'Ask through the client that made the call, where it can show a form. false: only operators answer, since whoever writes a client can make it answer for itself.',
    ),
  selfApproval: z
    .boolean()
    .default(true)
    .describe('Whether a caller may approve its own calls. true suits one person on a laptop; a team sets false.'),
  unattended: z
    .boolean()
    .default(false)
    .describe(
      'Whether "approval allow" and "result release" may be run without a terminal, with --unattended. false, because an agent that runs commands could allow its own calls.',
    ),
  twoPerson: z
    .array(z.enum([...SINK_CLASSES, 'any']))
    .default([])
    .describe('Effects that two different people must allow; any: every call that asks. Empty: one is enough.'),
  webhook: z
    .strictObject({
      url: z
        .string()
        .regex(/^https?:\/\/[^\s/?#@]+(?:[/?#]\S*)?$/, {
          error: 'expected an http:// or https:// URL without user name',
        })
        .describe('Gets a signed POST for every question and every answer.'),
      secretEnv: z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'expected the name of an environment variable' })
        .describe('The environment variable that holds the secret the signature is made with.'),
    })
    .optional()
    .describe('Tells another system about approvals. Left out: nobody is told.'),
});

/** What holds where the file says nothing. */
export const NO_APPROVAL_RULES: ApprovalSettings = Object.freeze(approvalsSchema.parse({}));

/**
 * What can never ask would fail open, and a webhook without its secret tells nobody.
 * @param from `servers`: switched-off ones included
 */
export function resolveApprovals(
  written: ApprovalSettings,
  from: { readonly servers: readonly string[]; readonly env: Readonly<Record<string, string | undefined>> },
  report: (path: Path, message: string) => void,
): ApprovalSettings {
  const { servers, env } = from;
  for (const [at, glob] of written.asks.entries())
    if (!servers.some((server) => mayNameToolOf(glob, server)))
      report(
        ['asks', at],
        `${JSON.stringify(glob)} matches no tool of a server of this file, so it would ask nobody; write <server>/<tool>, e.g. ${servers[0] ?? 'files'}/write_*`,
      );
  for (const [at, glob] of written.sampling.entries())
    if (!servers.some((server) => matchesGlob(glob, server)))
      report(['sampling', at], `${JSON.stringify(glob)} matches no server of this file, so it would ask nobody`);
  const name = written.webhook?.secretEnv;
  if (name !== undefined && (env[name] ?? '') === '')
    report(
      ['webhook', 'secretEnv'],
      `the environment variable ${name} is not set; set it to the secret before the start, or remove the webhook`,
    );
  return written;
}

/** Which tools a server has nobody knows before it is met: what matters here is the server, and the slash after it. */
function mayNameToolOf(glob: string, server: string): boolean {
  for (let end = 1; end <= glob.length; end++) {
    // A star may match the slash and letters of the tool's name, too.
    const isOpen = glob[end - 1] === '*' || (end < glob.length && '/?'.includes(glob[end - 1] ?? ''));
    if (isOpen && matchesGlob(glob.slice(0, end), `${server}/`)) return true;
  }
  return false;
}
