import { FaultError } from '../core/errors.ts';
import { type Approval, type PersonAnswer, toApprovalJson } from '../guard/approve/approval.ts';
import type { ApprovalStore } from '../storage/approvals.ts';
import { type AskPerson, createAskPerson } from './ask-person.ts';
import { type Command, type Input, isSet } from './command.ts';
import { describeApproval } from './describe-approval.ts';
import { toPlainText } from './plain-text.ts';
import { write } from './terminal.ts';
import { whoAnswers, withApprovals } from './with-approvals.ts';

/** Between two looks; milliseconds. */
const LOOK_EVERY_MS = 250;
/** An answer written just before may show only after its transaction. */
const OVERLAP_MS = 5_000;
const MAX_REMEMBERED = 10_000;

export const approvalWatch: Command = {
  name: 'approval watch',
  summary: 'follow the calls that wait for a person; on a terminal, ask about each',
  example: 'sallyport approval watch --json',
  run(input) {
    return withApprovals(input, async ({ approvals }) => {
      const ask = isSet(input.options, 'json') ? undefined : createAskPerson(input.terminal, input.signal);
      await follow(approvals, input, ask);
      return undefined;
    });
  },
};

async function follow(approvals: ApprovalStore, input: Input, ask: AskPerson | undefined): Promise<void> {
  const seen = new Map<string, number>();
  for (const waiting of [...(await approvals.list({ state: 'waiting' }))].reverse()) {
    seen.set(waiting.id, waiting.updatedAt);
    await tell(waiting, input, ask, approvals);
  }
  let since = Date.now() - OVERLAP_MS;
  while (!input.signal.aborted) {
    const now = Date.now();
    for (const changed of await approvals.changedSince(since)) {
      if (seen.get(changed.id) === changed.updatedAt) continue;
      // What was answered before anybody watched is no news.
      if (!seen.has(changed.id) && changed.state !== 'waiting' && changed.updatedAt < since + OVERLAP_MS) continue;
      if (seen.size >= MAX_REMEMBERED) seen.delete(seen.keys().next().value ?? '');
      seen.set(changed.id, changed.updatedAt);
      await tell(changed, input, ask, approvals);
    }
    since = now - OVERLAP_MS;
    await pause(input.signal);
  }
}

async function tell(
  approval: Approval,
  { options, terminal }: Input,
  ask: AskPerson | undefined,
  approvals: ApprovalStore,
): Promise<void> {
  if (isSet(options, 'json')) {
    const event = approval.state === 'waiting' && approval.answers.length === 0 ? 'asked' : approval.state;
    await write(terminal.stdout, `${JSON.stringify({ event, approval: toApprovalJson(approval) })}\n`);
    return;
  }
  await write(terminal.stdout, toPlainText(`${describeApproval(approval)}\n\n`));
  if (ask === undefined || approval.state !== 'waiting') return;
  const line = await ask('Allow [o]nce, for this [r]un, [a]lways, [d]eny, or skip with Enter: ');
  const answer = toAnswer(line?.trim() ?? '');
  if (answer === undefined) return;
  try {
    const after = await approvals.answer(approval.id, answer);
    await write(terminal.stderr, `${after.id}: ${after.state}\n`);
  } catch (error) {
    // Somebody else was faster, or it expired: the next one is still to be answered.
    if (!(error instanceof FaultError)) throw error;
    await write(terminal.stderr, `${toPlainText(error.message)}\n`);
  }
}

function toAnswer(line: string): PersonAnswer | undefined {
  const given = { by: whoAnswers(), via: 'command', at: Date.now() } as const;
  switch (line.toLowerCase()) {
    case 'o':
      return { ...given, kind: 'allow', scope: 'once' };
    case 'r':
      return { ...given, kind: 'allow', scope: 'run' };
    case 'a':
      return { ...given, kind: 'allow', scope: 'always' };
    case 'd':
      return { ...given, kind: 'deny' };
    default:
      return undefined;
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, LOOK_EVERY_MS);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
