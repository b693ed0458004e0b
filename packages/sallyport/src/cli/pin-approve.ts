import { userInfo } from 'node:os';
import { toItemName } from '../catalog/pins/pin.ts';
import { FaultError } from '../core/errors.ts';
import type { PinDecision } from '../storage/pins.ts';
import { type AskPerson, createAskPerson } from './ask-person.ts';
import { type Command, type Input, isSet, type Output, textOption } from './command.ts';
import { describeDifference } from './describe-difference.ts';
import { toPlainText } from './plain-text.ts';
import { differenceOf, digestShown, isPending, type KnownPin, type Pins, selectPins, withPins } from './with-pins.ts';

export const pinApprove: Command = {
  name: 'pin approve',
  summary: 'approve what a server offers now; a person at a terminal is shown the difference and asked',
  words: [
    ['<server>', 'its name in the configuration'],
    ['[item]', 'one item: search, tools/search or instructions; left out: all that wait'],
  ],
  options: [
    { flags: '--minor', meaning: 'approve changes of hints and what only takes away; leave the others' },
    { flags: '--digest <digest>', meaning: 'approve exactly what "pin diff" showed under this digest' },
  ],
  example: 'sallyport pin approve github --minor',
  run: (input) => withPins(input, (pins) => approve(input, pins)),
};

async function approve(input: Input, pins: Pins): Promise<Output> {
  const isNamed = input.words.length > 1;
  const waiting = selectPins(pins.known, input.words).filter(
    (one) => isPending(one) || (isNamed && one.state !== 'approved'),
  );
  const chosen = await choose(input, waiting, pins.known);
  const decisions = chosen.map((one) => toDecision(one, 'approve'));
  const late = await pins.store.decide(decisions, new Date().toISOString());
  const approved = decisions.filter((one) => !late.includes(one)).map(({ kind, name }) => toItemName(kind, name));
  const left = waiting.map(({ pin }) => toItemName(pin.kind, pin.name)).filter((name) => !approved.includes(name));
  return {
    value: { approved, left },
    text: approved.length === 0 ? '' : `Approved: ${approved.join(', ')}`,
    remarks: [
      ...(waiting.length === 0 ? ['Nothing is waiting for a decision.'] : []),
      ...(left.length === 0
        ? []
        : [`Still held: ${left.join(', ')}. Read them with: sallyport pin diff ${input.words.join(' ')}`]),
      ...(late.length === 0 ? [] : ['Some offer another definition by now: look again.']),
      ...(pins.settings.mode === 'locked' && approved.length > 0
        ? ['Mode locked: this takes effect with "sallyport pin lock".']
        : []),
    ],
    exit: late.length > 0 ? 1 : 0,
  };
}

async function choose(
  input: Input,
  waiting: readonly KnownPin[],
  known: readonly KnownPin[],
): Promise<readonly KnownPin[]> {
  const digest = textOption(input.options, 'digest');
  if (digest !== undefined) {
    if (digest === digestShown(waiting)) return waiting;
    throw new FaultError(
      'conflict',
      'Something else is offered than what was shown under this digest. Look again with: sallyport pin diff',
    );
  }
  if (isSet(input.options, 'minor')) return waiting.filter((one) => differenceOf(one, known).weight === 'minor');
  if (waiting.length === 0) return [];
  const ask = createAskPerson(input.terminal, input.signal);
  if (ask !== undefined) return askEach(input, ask, { waiting, known });
  throw new FaultError(
    'usage',
    `Read the difference first: sallyport pin diff ${input.words.join(' ')}. It names the digest to approve with --digest; --minor approves what need not be read.`,
  );
}

async function askEach(
  { terminal }: Input,
  ask: AskPerson,
  { waiting, known }: { waiting: readonly KnownPin[]; known: readonly KnownPin[] },
): Promise<readonly KnownPin[]> {
  const chosen: KnownPin[] = [];
  for (const one of waiting) {
    terminal.stderr.write(`${toPlainText(describeDifference(one, differenceOf(one, known)))}\n`);
    const answer = await ask('Approve? [y/N] ');
    if (answer === undefined) break;
    if (/^y(?:es)?$/i.test(answer.trim())) chosen.push(one);
  }
  return chosen;
}

/** A decision about what the pin says its server offered last, by whoever is at this machine. */
export function toDecision({ pin }: KnownPin, decision: PinDecision['decision']): PinDecision {
  const { server, kind, name, seen } = pin;
  return { server, kind, name, digest: seen?.digest ?? '', decision, by: userInfo().username };
}
