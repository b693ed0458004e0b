import { setTimeout } from 'node:timers/promises';
import { FaultError } from '../core/errors.ts';
import { type Api, type ApiInput, type ApiResult, withApi } from './api.ts';
import { type AskPerson, createAskPerson } from './ask-person.ts';
import { type Command, type Input, isSet } from './command.ts';
import { describeApproval } from './describe-approval.ts';
import { toPlainJson, toPlainText } from './plain-text.ts';
import { write } from './terminal.ts';

type Approval = ApiResult<'showApproval'>;

/** A Sallyport that ends is followed by another one, or by none. Milliseconds. */
const AGAIN_MS = 500;
const MAX_REMEMBERED = 10_000;

export const approvalWatch: Command = {
  name: 'approval watch',
  summary: 'follow the calls that wait for a person; on a terminal, ask about each',
  example: 'sallyport approval watch --json',
  async run(input) {
    const ask = isSet(input.options, 'json') ? undefined : createAskPerson(input.terminal, input.signal);
    const told = new Map<string, number>();
    const quit = new AbortController();
    const signal = AbortSignal.any([input.signal, quit.signal]);
    while (!signal.aborted) {
      try {
        await watch({ input: { ...input, signal }, ask, told, quit: () => quit.abort() });
      } catch (error) {
        if (!(error instanceof FaultError && error.code === 'unreachable')) throw error;
        await setTimeout(AGAIN_MS, undefined, { signal }).catch(() => undefined);
      }
    }
    return undefined;
  },
};

interface Watch {
  readonly input: Input;
  readonly ask: AskPerson | undefined;
  /** Id -> the change that was told last. */
  readonly told: Map<string, number>;
  /** The person has seen enough. */
  quit(): void;
}

/** One after the other: while a person thinks about one, the next ones wait. */
async function watch({ input, ask, told, quit }: Watch): Promise<void> {
  const broken = new AbortController();
  const signal = AbortSignal.any([input.signal, broken.signal]);
  let telling: Promise<void> = Promise.resolve();
  await withApi({ ...input, signal }, (api) =>
    api.follow('followApprovals', {}, (event, data) => {
      const approval = data as unknown as Approval; // what the stream carries, by the route
      if (told.get(approval.id) === approval.updatedAt) return;
      if (told.size >= MAX_REMEMBERED) told.delete(told.keys().next().value ?? '');
      told.set(approval.id, approval.updatedAt);
      telling = telling.then(() => tell(api, { input, ask, quit }, { event, approval }));
      telling.catch(() => broken.abort());
    }),
  );
  await telling;
}

async function tell(
  api: Api,
  { input, ask, quit }: Pick<Watch, 'input' | 'ask' | 'quit'>,
  { event, approval }: { readonly event: string; readonly approval: Approval },
): Promise<void> {
  const { options, terminal } = input;
  if (isSet(options, 'json')) {
    await write(terminal.stdout, `${toPlainJson({ event, approval })}\n`);
    return;
  }
  await write(terminal.stdout, toPlainText(`${describeApproval(approval)}\n\n`));
  if (ask === undefined || approval.state !== 'waiting') return;
  const letter = await askLetter(ask, terminal);
  if (letter === 'q') return quit();
  try {
    const after = await answer(api, approval.id, letter);
    if (after !== undefined) await write(terminal.stderr, `${after.id}: ${after.state}\n`);
  } catch (error) {
    // Somebody else was faster, or it expired: the next one is still to be answered.
    if (!(error instanceof FaultError)) throw error;
    await write(terminal.stderr, `${toPlainText(error.message)}\n`);
  }
}

const QUESTION = 'Allow? [y]es once, for this [r]un, [a]lways, [n]o, [q]uit, Enter skips, [?] help: ';
const HELP = [
  'y  yes, this once (also o)',
  'r  yes, and the same again in this run',
  'a  yes, and the same again from now on',
  'n  no (also d)',
  'q  leave; the calls go on waiting',
  'Enter  skip this one; it goes on waiting',
].join('\n');

/** One of the keys; a key that means nothing is asked for again, so that a slip of the finger decides nothing. */
async function askLetter(ask: AskPerson, { stderr }: Input['terminal']): Promise<string> {
  for (;;) {
    const line = (await ask(QUESTION))?.trim().toLowerCase() ?? '';
    const letter = WORDS.get(line) ?? line;
    if (letter === '' || letter === 'q' || letter === 'n' || SCOPES.has(letter)) return letter;
    await write(stderr, `${HELP}\n`);
  }
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ...['yes', 'o', 'once'].map((word) => [word, 'y'] as const),
  ...['no', 'd', 'deny'].map((word) => [word, 'n'] as const),
  ['run', 'r'],
  ['always', 'a'],
  ['quit', 'q'],
  ['exit', 'q'],
]);

type Scope = NonNullable<ApiInput<'allowApproval'>['body']['scope']>;

const SCOPES: ReadonlyMap<string, Scope> = new Map<string, Scope>([
  ['y', 'once'],
  ['r', 'run'],
  ['a', 'always'],
]);

async function answer(api: Api, id: string, letter: string): Promise<Approval | undefined> {
  if (letter === 'n') return api.call('denyApproval', { path: { id }, body: {} });
  const scope = SCOPES.get(letter);
  return scope === undefined ? undefined : api.call('allowApproval', { path: { id }, body: { scope } });
}
