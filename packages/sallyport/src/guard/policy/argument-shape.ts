import { isObject } from '../../core/json.ts';

/** What a policy takes an argument for; `any`: it only asks whether it is there. */
export type ArgumentType = 'any' | 'text' | 'number' | 'decimal' | 'flag' | 'texts' | 'numbers';

/** The arguments that policies read, as a tree: an argument with members is an object, the others have a type. */
export interface ArgumentShape {
  readonly type: ArgumentType;
  readonly members: ReadonlyMap<string, ArgumentShape>;
}

interface GrowingShape {
  type: ArgumentType;
  members: Map<string, GrowingShape>;
}

export interface ArgumentReading {
  readonly shape: ArgumentShape;
  /** Arguments taken for two different things, and the whole of the arguments used as one value. */
  readonly problems: readonly string[];
}

/** Which arguments the conditions of these policies (Cedar's JSON form) read, and as what. */
export function readArgumentShape(conditions: readonly unknown[]): ArgumentReading {
  const reader = new ShapeReader();
  for (const condition of conditions) reader.walk(condition, 'flag');
  return { shape: reader.shape, problems: [...reader.problems] };
}

class ShapeReader {
  readonly shape: GrowingShape = { type: 'any', members: new Map() };
  readonly problems = new Set<string>();

  walk(node: unknown, expected: ArgumentType): void {
    const path = toArgumentPath(node);
    if (path !== undefined) this.#note(path, expected);
    else if (Array.isArray(node)) for (const item of node) this.walk(item, 'any');
    else if (isObject(node)) for (const [operator, operands] of Object.entries(node)) this.#apply(operator, operands);
  }

  #note(path: readonly string[], type: ArgumentType): void {
    if (path.length > 0) add(this.shape, { path, type, problems: this.problems });
    else this.problems.add('reads context.arguments as a whole; name the argument it is about');
  }

  #apply(operator: string, operands: unknown): void {
    if (operator === 'Value') return;
    if (operator === 'Var') {
      if (operands === 'context') this.problems.add('reads context as a whole; name the part it is about');
      return;
    }
    const sides = isObject(operands) ? (operands as Record<string, unknown>) : {};
    const { left, right, arg } = sides;
    if (operator === '.' || operator === 'has') this.#reach(operator, sides);
    else if (EQUALITY.has(operator)) {
      this.walk(left, toType(right));
      this.walk(right, toType(left));
    } else if (ARITHMETIC.has(operator)) this.#all([left, right, arg], 'number');
    else if (LOGIC.has(operator)) this.#all([left, right, arg], 'flag');
    else if (operator === 'like') this.walk(left, 'text');
    else if (SETS.has(operator)) {
      this.walk(left ?? arg, toSetType(right));
      this.walk(right, operator === 'contains' ? toElementType(left) : toSetType(left));
    } else if (operator === 'if-then-else') {
      this.walk(sides['if'], 'flag');
      this.walk(sides['then'], toType(sides['else']));
      this.walk(sides['else'], toType(sides['then']));
    } else if (Array.isArray(operands)) this.#all(operands, DECIMAL.has(operator) ? 'decimal' : 'text');
    else this.#all(Object.values(sides), 'any');
  }

  #all(nodes: readonly unknown[], expected: ArgumentType): void {
    for (const node of nodes) this.walk(node, expected);
  }

  #reach(operator: '.' | 'has', { left, attr }: Record<string, unknown>): void {
    if (isVariable(left)) return;
    const path = operator === 'has' ? toArgumentPath(left) : undefined;
    if (path === undefined) this.walk(left, 'any');
    else this.#note([...path, ...(Array.isArray(attr) ? attr : [attr]).map(String)], 'any');
  }
}

/** Several policies decide about one call together: what they read, joined. */
export function joinShapes(shapes: readonly ArgumentShape[]): ArgumentReading {
  const joined: GrowingShape = { type: 'any', members: new Map() };
  const problems = new Set<string>();
  const visit = (path: readonly string[], { type, members }: ArgumentShape): void => {
    if (path.length > 0) add(joined, { path, type, problems });
    for (const [name, member] of members) visit([...path, name], member);
  };
  for (const shape of shapes) visit([], shape);
  return { shape: joined, problems: [...problems] };
}

function add(
  shape: GrowingShape,
  found: { readonly path: readonly string[]; readonly type: ArgumentType; readonly problems: Set<string> },
): void {
  let at = shape;
  for (const name of found.path) {
    let next = at.members.get(name);
    if (next === undefined) {
      next = { type: 'any', members: new Map() };
      at.members.set(name, next);
    }
    at = next;
  }
  const { type } = at;
  if (found.type !== 'any' && type !== 'any' && type !== found.type) {
    found.problems.add(
      `the argument ${found.path.join('.')} is taken for ${NOUNS[type]} and for ${NOUNS[found.type]}; use it as one of them`,
    );
  }
  if (type === 'any') at.type = found.type;
}

export const NOUNS: Readonly<Record<ArgumentType, string>> = {
  any: 'anything',
  text: 'a text',
  number: 'a whole number',
  decimal: 'a decimal number',
  flag: 'true or false',
  texts: 'a list of texts',
  numbers: 'a list of whole numbers',
};

const EQUALITY: ReadonlySet<string> = new Set(['==', '!=']);
const ARITHMETIC: ReadonlySet<string> = new Set(['<', '<=', '>', '>=', '+', '-', '*', 'neg']);
const LOGIC: ReadonlySet<string> = new Set(['&&', '||', '!']);
const SETS: ReadonlySet<string> = new Set(['contains', 'containsAll', 'containsAny', 'isEmpty']);
const DECIMAL: ReadonlySet<string> = new Set(['greaterThan', 'greaterThanOrEqual', 'lessThan', 'lessThanOrEqual']);

/** `context.arguments.a.b` as ['a', 'b']; `undefined` for anything else. */
function toArgumentPath(node: unknown): readonly string[] | undefined {
  if (!isObject(node) || !Object.hasOwn(node, '.')) return undefined;
  const { left, attr } = (node as { readonly '.': { readonly left: unknown; readonly attr: string } })['.'];
  if (attr === 'arguments' && isObject(left) && (left as { readonly Var?: unknown }).Var === 'context') return [];
  const before = toArgumentPath(left);
  return before === undefined ? undefined : [...before, attr];
}

function isVariable(node: unknown): boolean {
  return isObject(node) && Object.hasOwn(node, 'Var');
}

/** What the other side of a comparison is; names, tags and attributes of principals are texts. */
function toType(node: unknown): ArgumentType {
  if (!isObject(node)) return 'text';
  const operand = node as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(operand, 'Value')) return toLiteralType(operand['Value']);
  if (Object.hasOwn(operand, 'decimal')) return 'decimal';
  if (Object.hasOwn(operand, 'Set')) return toSetType(node);
  const operator = Object.keys(operand)[0] ?? '';
  if (ARITHMETIC.has(operator)) return /[<>]/.test(operator) ? 'flag' : 'number';
  return LOGIC.has(operator) || EQUALITY.has(operator) ? 'flag' : 'text';
}

function toLiteralType(value: unknown): ArgumentType {
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'flag' : 'text';
}

function toElementType(node: unknown): ArgumentType {
  const items = isObject(node) ? (node as { readonly Set?: unknown }).Set : undefined;
  return Array.isArray(items) && items.length > 0 ? toType(items[0]) : 'text';
}

/** Of a list that is compared with this: another list, or one of its elements. */
function toSetType(node: unknown): ArgumentType {
  const isSet = isObject(node) && Object.hasOwn(node, 'Set');
  const element = isSet ? toElementType(node) : toType(node);
  return element === 'number' ? 'numbers' : 'texts';
}
