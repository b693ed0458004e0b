import { type JsonObject, member } from '../../core/json.ts';
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
          fixed: { ...tool, annotations: { ...(annotations as JsonObject | undefined), ...guess(tool, missing) } },
        };
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

/** What its name suggests; where it suggests nothing, what clients assume anyway. */
function guess(tool: JsonObject, missing: readonly string[]): JsonObject {
  const isRead = /^(?:get|list|search|find|read|show|describe|count|query|lookup|fetch)$/;
  const readOnly = verbOf(tool, isRead) !== undefined && verbOf(tool, CHANGES) === undefined;
  const guesses: JsonObject = {
    readOnlyHint: readOnly,
    destructiveHint: !readOnly,
    idempotentHint: readOnly,
    openWorldHint: true,
  };
  return Object.fromEntries(Object.entries(guesses).filter(([name]) => missing.includes(name)));
}
