import { FaultError } from '../core/errors.ts';
import { type Api, withApi } from './api.ts';
import { approveClean } from './approve-clean.ts';
import { type AskPerson, createAskPerson } from './ask-person.ts';
import { type Command, type Input, isSet, type Output, textOption } from './command.ts';
import { describeDifference } from './describe-difference.ts';
import { type PinDifference, type PinDifferences, readDifferences } from './pin-differences.ts';
import { toPlainText } from './plain-text.ts';

export const pinApprove: Command = {
  name: 'pin approve',
  summary: 'approve what a server offers now; a person at a terminal is shown the difference and asked',
  words: [
    ['[server]', 'its name in the configuration; left out: all servers, with --clean'],
    ['[item]', 'one item: search, tools/search, instructions or serverInfo; left out: all that wait'],
  ],
  options: [
    { flags: '--clean', meaning: 'approve all that wait and in which nothing was found; list what is left' },
    { flags: '--minor', meaning: 'approve changes of hints and what only takes away; leave the others' },
    {
      flags: '--digest <digest>',
      meaning: 'approve exactly what "pin diff" showed under this digest, or the one definition of this digest',
    },
    { flags: '--with-findings', meaning: 'approve also what is held for what reading it found' },
  ],
  example: 'sallyport pin approve --clean',
  run: (input) =>
    withApi(input, (api) => (isSet(input.options, 'clean') ? approveClean(input, api) : approve(input, api))),
};

async function approve(input: Input, api: Api): Promise<Output> {
  if (input.words.length === 0)
    throw new FaultError(
      'usage',
      'Name a server, or write --clean to approve all that wait and in which nothing was found.',
    );
  const waiting = await readDifferences(api, input.words);
  const { chosen, withFindings } = await choose(input, waiting);
  const items = chosen.map(({ server, item, digest }) => ({ server, item, digest }));
  const outcome = items.length === 0 ? undefined : await api.call('approvePins', { body: { items, withFindings } });
  const approved = outcome?.done.map(({ item }) => item) ?? [];
  const late = outcome?.late ?? [];
  const found = outcome?.left.map(({ item }) => item) ?? [];
  const left = waiting.items.map(({ item }) => item).filter((item) => !approved.includes(item));
  return {
    value: { approved, left },
    text: approved.length === 0 ? '' : `Approved: ${approved.join(', ')}`,
    remarks: [
      ...(waiting.items.length === 0 ? ['Nothing is waiting for a decision.'] : []),
      ...(left.length === 0
        ? []
        : [`Still held: ${left.join(', ')}. Read them with: sallyport pin diff ${input.words.join(' ')}`]),
      ...(found.length === 0
        ? []
        : [
            `Held for what reading them found: ${found.join(', ')}. Who has read it and means it says --with-findings.`,
          ]),
      ...(late.length === 0 ? [] : ['Some offer another definition by now: look again.']),
      ...(outcome?.mode === 'locked' && approved.length > 0
        ? ['Mode locked: this takes effect with "sallyport pin lock".']
        : []),
    ],
    exit: late.length > 0 || found.length > 0 ? 1 : 0,
  };
}

interface Chosen {
  readonly chosen: readonly PinDifference[];
  readonly withFindings: boolean;
}

async function choose(input: Input, waiting: PinDifferences): Promise<Chosen> {
  const digest = textOption(input.options, 'digest');
  const withFindings = isSet(input.options, 'withFindings');
  if (digest !== undefined) {
    if (digest !== '' && digest === waiting.digest) return { chosen: waiting.items, withFindings };
    // That of one definition stands for exactly this one, however many others wait.
    const named = waiting.items.filter((one) => one.digest === digest);
    if (named.length > 0) return { chosen: named, withFindings };
    throw new FaultError(
      'conflict',
      `Nothing that waits has this digest: something else is offered by now, or it was never shown. --digest takes the one that "sallyport pin diff ${input.words.join(' ')}" ends with, or that of one definition (pin list --json, GET /findings).`,
    );
  }
  if (isSet(input.options, 'minor'))
    return { chosen: waiting.items.filter(({ weight }) => weight === 'minor'), withFindings: false };
  if (waiting.items.length === 0) return { chosen: [], withFindings: false };
  const ask = createAskPerson(input.terminal, input.signal);
  // Whoever is asked has been shown what was found, and wrote the whole word.
  if (ask !== undefined) return { chosen: await askEach(input, ask, waiting.items), withFindings: true };
  throw new FaultError(
    'usage',
    `Read the difference first: sallyport pin diff ${input.words.join(' ')}. It names the digest to approve with --digest; --minor approves what need not be read.`,
  );
}

async function askEach(
  { terminal }: Input,
  ask: AskPerson,
  waiting: readonly PinDifference[],
): Promise<readonly PinDifference[]> {
  const chosen: PinDifference[] = [];
  for (const one of waiting) {
    terminal.stderr.write(`${toPlainText(describeDifference(one))}\n`);
    const isGrave = one.findings.some(({ tier }) => tier === 'block');
    const answer = await ask(isGrave ? 'Approve with these findings? [type yes, or Enter for no] ' : 'Approve? [y/N] ');
    if (answer === undefined) break;
    if ((isGrave ? /^yes$/i : /^y(?:es)?$/i).test(answer.trim())) chosen.push(one);
  }
  return chosen;
}
