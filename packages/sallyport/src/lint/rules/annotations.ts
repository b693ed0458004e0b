import { type JsonObject, member, memberText } from '../../core/json.ts';
import { forEachTool, nameOf, type Rule } from '../rule.ts';
import { example } from './examples.ts';

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;
const CHANGES =
  /^(?:create|add|write|update|edit|set|put|post|delete|remove|drop|purge|destroy|send|publish|move|rename|insert|upload|append|patch|cancel|archive|merge|deploy)$/;
const DESTROYS = /^(?:delete|remove|drop|purge|destroy|wipe|truncate|erase|uninstall|kill|terminate)$/;

/** What clients decide by: whether to ask a person before a call. */
export const ANNOTATION_RULES: readonly Rule[] = [
  forEachTool({
    id: 'annotations/missing',
    level: 'warning',
    requires: 'All four hints are given',
    why: 'A client takes the worst for a hint that is missing: not read-only, destructive, open world.',
    fix: 'Add readOnlyHint, destructiveHint, idempotentHint and openWorldHint.',
    good: [example()],
    bad: [example({ annotations: undefined }), example({ annotations: { readOnlyHint: true } })],
    *checkTool(tool) {
      const annotations = member(tool, 'annotations');
      const missing = HINTS.filter((hint) => member(annotations, hint) === undefined);
      if (missing.length > 0)
        yield {
          path: '/annotations',
          message: `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`,
        };
    },
    *mend(tool) {
      for (const name of HINTS) {
        if (hint(tool, name) !== undefined) continue;
        const [value, why] = guess(tool, name);
        yield { path: `/annotations/${name}`, value, why };
      }
    },
  }),
  forEachTool({
    id: 'annotations/read-only-changes',
    level: 'warning',
    requires: 'A tool whose name says that it changes something is not read-only',
    why: 'Clients call read-only tools without asking.',
    fix: 'Set readOnlyHint to false, or rename the tool.',
    good: [example(), example({ name: 'weather_list_updates' })],
    bad: [example({ name: 'weather_delete_station' }), example({ name: 'createStation' })],
    *checkTool(tool) {
      const verb = verbOf(tool, CHANGES);
      if (verb !== undefined && hint(tool, 'readOnlyHint') === true)
        yield { path: '/annotations/readOnlyHint', message: `Its name says "${verb}", and readOnlyHint is true.` };
    },
    *mend(tool) {
      const verb = verbOf(tool, CHANGES);
      if (verb !== undefined && hint(tool, 'readOnlyHint') === true)
        yield { path: '/annotations/readOnlyHint', value: false, why: `The name says "${verb}".` };
    },
  }),
  forEachTool({
    id: 'annotations/destructive-denied',
    level: 'warning',
    requires: 'A tool whose name says that it deletes something is destructive',
    why: 'Clients ask a person before destructive calls only.',
    fix: 'Set destructiveHint to true.',
    good: [example()],
    bad: [example({ name: 'weather_delete_station', annotations: { readOnlyHint: false, destructiveHint: false } })],
    *checkTool(tool) {
      const verb = verbOf(tool, DESTROYS);
      if (verb !== undefined && hint(tool, 'destructiveHint') === false)
        yield {
          path: '/annotations/destructiveHint',
          message: `Its name says "${verb}", and destructiveHint is false.`,
        };
    },
    *mend(tool) {
      const verb = verbOf(tool, DESTROYS);
      if (verb !== undefined && hint(tool, 'destructiveHint') === false)
        yield { path: '/annotations/destructiveHint', value: true, why: `The name says "${verb}".` };
    },
  }),
  forEachTool({
    id: 'annotations/contradiction',
    level: 'warning',
    requires: 'A tool is not both read-only and destructive',
    why: 'One of the two is wrong, and clients believe either.',
    fix: 'Correct one of the hints.',
    good: [example()],
    bad: [example({ annotations: { readOnlyHint: true, destructiveHint: true } })],
    *checkTool(tool) {
      if (hint(tool, 'readOnlyHint') === true && hint(tool, 'destructiveHint') === true)
        yield { path: '/annotations', message: 'readOnlyHint and destructiveHint are both true.' };
    },
    *mend(tool) {
      if (hint(tool, 'readOnlyHint') !== true || hint(tool, 'destructiveHint') !== true) return;
      const reads = readingOf(tool);
      yield reads === undefined
        ? {
            path: '/annotations/readOnlyHint',
            value: false,
            why: 'Clients take the worst, and the tool says it is destructive.',
          }
        : { path: '/annotations/destructiveHint', value: false, why: reads };
    },
  }),
];

function hint(tool: JsonObject, name: (typeof HINTS)[number]): unknown {
  return member(member(tool, 'annotations'), name);
}

/** The verb of a name is its first word, or its second behind the name of the service. */
function verbOf(tool: JsonObject, verbs: RegExp): string | undefined {
  const words = nameOf(tool)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.slice(0, 2).find((word) => verbs.test(word));
}

const READS = /^(?:get|list|search|find|read|show|describe|count|query|lookup|fetch)$/;
const ADDS = /^(?:create|add|insert|append|upload|post|send)$/;
/** The first word of a description. */
const SAYS_READ =
  /^(?:get|list|search|find|read|show|describe|count|look|fetch|retrieve|return|check|calculate|compute|convert)(?:e?s)?\b/i;
const SAYS_CHANGE =
  /\b(?:creat|add|writ|updat|edit|delet|remov|drop|send|publish|mov|renam|insert|upload|append|overwrit|replac)(?:es?|s|ing)?\b/i;

/** Why a tool seems to read only, or `undefined`. */
function readingOf(tool: JsonObject): string | undefined {
  if (verbOf(tool, CHANGES) !== undefined || verbOf(tool, DESTROYS) !== undefined) return undefined;
  const verb = verbOf(tool, READS);
  if (verb !== undefined) return `The name says "${verb}".`;
  const text = memberText(tool, 'description').trim();
  const said = SAYS_READ.exec(text)?.[0];
  return said === undefined || SAYS_CHANGE.test(text) ? undefined : `The description begins with "${said}".`;
}

/** What its name and its description suggest; where they suggest nothing, what clients assume anyway. */
function guess(tool: JsonObject, name: (typeof HINTS)[number]): readonly [boolean, string] {
  const assumed = 'Clients assume it when the hint is missing; nothing in the definition says otherwise.';
  if (name === 'openWorldHint') return [true, assumed];
  const given = hint(tool, 'readOnlyHint');
  const reads = given === true ? 'The tool is read-only.' : given === false ? undefined : readingOf(tool);
  if (name === 'readOnlyHint')
    return hint(tool, 'destructiveHint') === true || reads === undefined ? [false, assumed] : [true, reads];
  if (reads !== undefined) return [name === 'idempotentHint', reads];
  const adds = verbOf(tool, ADDS);
  const isAdding = adds !== undefined && !/overwrit|replac/i.test(memberText(tool, 'description'));
  if (name === 'destructiveHint' && isAdding) return [false, `The name says "${adds}": it adds and replaces nothing.`];
  return [name === 'destructiveHint', assumed];
}
