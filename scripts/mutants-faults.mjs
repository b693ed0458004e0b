// Which faults can be put into a file, as edits of its text. Types, imports and texts of the log stay as they are.
import { parseSync } from 'rolldown/utils';

/** @typedef {{ kind: string, start: number, end: number, to: string }} Fault */

/** Longer lists of words are data: how good they are is measured by `bench -- detection`. */
const MAX_LIST = 12;
const SHIFTED = new Map([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
]);
const LOGIC = new Map([
  ['&&', '||'],
  ['||', '&&'],
]);
const FLIPPED = new Map([
  ['===', '!=='],
  ['!==', '==='],
]);
const BOOLEAN = new Set(['===', '!==', '<', '<=', '>', '>=', 'in', 'instanceof']);
/** Members of these say nothing that a program does. */
const UNREAD = /^(?:TS|Import|Export(?:All|Named)|JSX)/;
const LOGS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal']);

/** Every fault of one file, in the order of its text. @returns {Fault[]} */
export function findFaults(file, text) {
  const { program, errors } = parseSync(file, text, { lang: 'ts', sourceType: 'module' });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  /** @type {Fault[]} */
  const faults = [];
  const add = (kind, { start, end }, to) => {
    if (text.slice(start, end) !== to && to !== undefined) faults.push({ kind, start, end, to });
  };
  walk(program, { add, text });
  return faults.sort((one, other) => one.start - other.start || one.end - other.end || (one.to < other.to ? -1 : 1));
}

function walk(node, context) {
  if (Array.isArray(node)) {
    const isData = node.length > MAX_LIST && node.every((one) => one?.type === 'Literal');
    if (!isData) for (const one of node) walk(one, context);
    return;
  }
  if (node === null || typeof node !== 'object' || typeof node.type !== 'string') return;
  if (UNREAD.test(node.type) && !hasValue(node)) return;
  put(node, context);
  if (node.type === 'CallExpression' && isLog(node)) return;
  for (const [key, child] of Object.entries(node)) {
    // A name is no text: `{ 'a-b': 1 }`, and `case` and `===` are read as conditions.
    if (key === 'key' && node.computed !== true) continue;
    walk(child, context);
  }
}

/** `x as T`, `x!` and `export const` hold values. */
function hasValue({ type, declaration }) {
  return /^TS(?:As|Satisfies|NonNull)/.test(type) || (type === 'ExportNamedDeclaration' && declaration !== null);
}

function isLog({ callee }) {
  const { property, object } = callee;
  return LOGS.has(property?.name) && /^(?:log|#?ports)$|log$/i.test(object?.name ?? object?.property?.name ?? '');
}

function put(node, { add, text }) {
  const textOf = ({ start, end }) => text.slice(start, end);
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression': {
      for (const to of ['true', 'false', `!(${textOf(node.test)})`]) add('condition', node.test, to);
      return;
    }
    case 'LogicalExpression': {
      const to = LOGIC.get(node.operator);
      if (to !== undefined) add('condition', node, `(${textOf(node.left)}) ${to} (${textOf(node.right)})`);
      return;
    }
    case 'BinaryExpression': {
      const shifted = SHIFTED.get(node.operator);
      if (shifted !== undefined) add('bound', node, `${textOf(node.left)} ${shifted} ${textOf(node.right)}`);
      const flipped = FLIPPED.get(node.operator);
      if (flipped !== undefined) add('condition', node, `${textOf(node.left)} ${flipped} ${textOf(node.right)}`);
      return;
    }
    case 'ExpressionStatement': {
      const call = node.expression.type === 'AwaitExpression' ? node.expression.argument : node.expression;
      if (call.type === 'CallExpression' && !isLog(call)) add('call', node, ';');
      return;
    }
    case 'ReturnStatement': {
      if (node.argument !== null) add('return', node.argument, changed(node.argument, textOf));
      return;
    }
    case 'ArrowFunctionExpression': {
      if (node.body.type !== 'BlockStatement') add('return', node.body, changed(node.body, textOf));
      return;
    }
    case 'Literal': {
      if (typeof node.value === 'string' && node.value !== '') add('text', node, "''");
      else if (node.regex !== undefined && node.regex !== null) add('text', node, '/(?:)/');
      return;
    }
  }
}

/** `undefined`: it is nothing already. */
function changed(node, textOf) {
  if (node.type === 'Identifier' && node.name === 'undefined') return undefined;
  const isBoolean =
    (node.type === 'BinaryExpression' && BOOLEAN.has(node.operator)) ||
    (node.type === 'LogicalExpression' && node.operator !== '??') ||
    (node.type === 'UnaryExpression' && node.operator === '!') ||
    (node.type === 'Literal' && typeof node.value === 'boolean');
  return isBoolean ? `!(${textOf(node)})` : '(undefined as never)';
}
