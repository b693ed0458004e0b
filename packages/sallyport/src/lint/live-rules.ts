import { estimateTokens } from '../core/estimate-tokens.ts';
import { type JsonObject, member } from '../core/json.ts';
import type { Level } from './rule.ts';

/** What a tool answered to a call of the linter. */
export interface Answer {
  readonly tool: JsonObject;
  /** Whether a required parameter was left out on purpose. */
  readonly isIncomplete: boolean;
  readonly missing: readonly string[];
  /** The result, or the error of the protocol. */
  readonly result: JsonObject | undefined;
  readonly error: string | undefined;
}

/** A rule about answers, for servers that may be called. */
export interface LiveRule {
  readonly id: `results/${string}` | `errors/${string}`;
  readonly level: Level;
  readonly requires: string;
  readonly why: string;
  readonly fix: string;
  /** What is wrong, or `undefined`. */
  check(answer: Answer): string | undefined;
}

const MAX_CHARACTERS = 25_000;
const STACK = /\n[ \t]{1,16}at [^\n]{1,500}:\d|Traceback \(most recent call last\)|\bgoroutine \d+ \[/;

export const LIVE_RULES: readonly LiveRule[] = [
  {
    id: 'results/size',
    level: 'warning',
    requires: `A result has at most ${MAX_CHARACTERS.toLocaleString('en')} characters unless more is asked for`,
    why: 'It goes into the context of the model and stays there.',
    fix: 'Return pages, or a resource link to the whole.',
    check({ result }) {
      const { length } = JSON.stringify(result ?? {});
      return length > MAX_CHARACTERS
        ? `The result has ${length} characters, about ${estimateTokens(result)} tokens.`
        : undefined;
    },
  },
  {
    id: 'results/unstructured',
    level: 'error',
    requires: 'A tool with an output schema returns structuredContent',
    why: 'The specification requires it, and strict clients refuse the result (tools, output schema).',
    fix: 'Return structuredContent, or remove outputSchema.',
    check: ({ tool, result }) =>
      result !== undefined &&
      member(result, 'isError') !== true &&
      member(tool, 'outputSchema') !== undefined &&
      member(result, 'structuredContent') === undefined
        ? 'There is no structuredContent.'
        : undefined,
  },
  {
    id: 'errors/accepted',
    level: 'warning',
    requires: 'A call without a required parameter is an error',
    why: 'A model that gets a result believes that it asked well.',
    fix: 'Validate the input against the schema.',
    check: ({ isIncomplete, result }) =>
      isIncomplete && result !== undefined && member(result, 'isError') !== true
        ? 'A call without its required parameters succeeded.'
        : undefined,
  },
  {
    id: 'errors/unnamed',
    level: 'warning',
    requires: 'An error names the parameter that is wrong',
    why: 'A model corrects what is named, and repeats its mistake otherwise.',
    fix: 'Name the parameter and what is expected.',
    check(answer) {
      if (!answer.isIncomplete || (answer.result !== undefined && member(answer.result, 'isError') !== true))
        return undefined;
      const text = answer.error ?? JSON.stringify(answer.result ?? {});
      return answer.missing.some((name) => text.includes(name))
        ? undefined
        : `The error does not name ${answer.missing.map((name) => `"${name}"`).join(' or ')}.`;
    },
  },
  {
    id: 'errors/internals',
    level: 'error',
    requires: 'An error shows no stack trace',
    why: 'It tells an attacker about the server, and a model nothing.',
    fix: 'Log the cause, and return a sentence with a reference.',
    check({ error, result }) {
      const text = error ?? (member(result, 'isError') === true ? textOf(result) : '');
      return STACK.test(text) ? 'The error contains a stack trace.' : undefined;
    },
  },
];

function textOf(result: JsonObject | undefined): string {
  const content = member(result, 'content');
  return Array.isArray(content) ? content.map((block) => String(member(block, 'text') ?? '')).join('\n') : '';
}
