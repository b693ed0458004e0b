import { isObject } from '../../core/json.ts';
import type { EntityJson, PolicyJson } from './cedar.ts';

/** The one caller or group that the scope of a policy names. */
export type Who = { readonly kind: 'caller' | 'group'; readonly id: string };

/** What of a caller a policy can tell callers apart by. */
export interface PrincipalReads {
  /** `undefined`: its scope names nobody. */
  readonly who: Who | undefined;
  readonly groups: ReadonlySet<string>;
  /** Ids of callers that it names. */
  readonly callers: ReadonlySet<string>;
  readonly attributes: ReadonlySet<string>;
  readonly readsTags: boolean;
  /** It uses a caller in a way that is not known here. */
  readonly isWhole: boolean;
}

interface Found {
  readonly groups: Set<string>;
  readonly callers: Set<string>;
  readonly attributes: Set<string>;
  readsTags: boolean;
  isWhole: boolean;
}

/** Fail safe: a use that is not known counts as one of everything. */
export function readPrincipal({ principal, conditions }: PolicyJson): PrincipalReads {
  const found: Found = {
    groups: new Set(),
    callers: new Set(),
    attributes: new Set(),
    readsTags: false,
    isWhole: false,
  };
  const who = toWho(principal);
  if (who !== undefined) (who.kind === 'group' ? found.groups : found.callers).add(who.id);
  for (const { body } of conditions) visit(body, found);
  return { who, ...found };
}

function toWho(principal: PolicyJson['principal']): Who | undefined {
  const scope = principal.op === 'is' ? principal.in : principal;
  if (scope === undefined || !('entity' in scope)) return undefined;
  const { type, id } = '__entity' in scope.entity ? scope.entity.__entity : scope.entity;
  if (type === 'Principal') return { kind: 'caller', id };
  // `principal == Group::"g"` is nobody; taken for anybody it is asked in vain.
  return type === 'Group' && principal.op !== '==' ? { kind: 'group', id } : undefined;
}

function visit(node: unknown, found: Found): void {
  if (Array.isArray(node)) for (const one of node) visit(one, found);
  if (!isObject(node)) return;
  if ((node as { readonly Var?: unknown }).Var === 'principal') found.isWhole = true;
  for (const [operator, operand] of Object.entries(node)) {
    if (!isOnPrincipal(operand)) visit(operand, found);
    else if (!note(operator, operand, found)) found.isWhole = true;
  }
}

interface OnPrincipal {
  readonly left: unknown;
  readonly right?: unknown;
  readonly attr?: unknown;
  readonly entity_type?: unknown;
  readonly in?: unknown;
}

function isOnPrincipal(operand: unknown): operand is OnPrincipal {
  if (!isObject(operand)) return false;
  const { left } = operand as { readonly left?: unknown };
  return isObject(left) && (left as { readonly Var?: unknown }).Var === 'principal';
}

/** `false`: a use that is not known. */
function note(operator: string, { right, attr, entity_type: type, in: within }: OnPrincipal, found: Found): boolean {
  switch (operator) {
    case '.':
    case 'has': {
      const [name] = Array.isArray(attr) ? (attr as readonly unknown[]) : [attr];
      if (typeof name !== 'string') return false;
      found.attributes.add(name);
      return true;
    }
    case 'hasTag':
    case 'getTag':
      found.readsTags = true;
      visit(right, found);
      return true;
    case 'in':
      return noteGroups(right, found);
    case 'is':
      return typeof type === 'string' && (within === undefined || noteGroups(within, found));
    case '==':
    case '!=': {
      const [entity] = toEntities(right) ?? [];
      if (entity === undefined) return false;
      if (entity.type === 'Principal') found.callers.add(entity.id);
      return true;
    }
    default:
      return false;
  }
}

function noteGroups(right: unknown, found: Found): boolean {
  const entities = toEntities(right);
  if (entities === undefined) return false;
  for (const { type, id } of entities) (type === 'Group' ? found.groups : found.callers).add(id);
  return true;
}

interface Named {
  readonly type: string;
  readonly id: string;
}

/** Of one literal, or of a set of them. */
function toEntities(node: unknown): readonly Named[] | undefined {
  if (!isObject(node)) return undefined;
  const { Set: set, Value: value } = node as { readonly Set?: unknown; readonly Value?: unknown };
  if (!Array.isArray(set)) {
    const one = toEntity(value);
    return one === undefined ? undefined : [one];
  }
  const found: Named[] = [];
  for (const one of set) {
    const entities = toEntities(one);
    if (entities === undefined) return undefined;
    found.push(...entities);
  }
  return found;
}

function toEntity(value: unknown): Named | undefined {
  const { type, id } = ((value as { readonly __entity?: unknown } | undefined)?.__entity ?? {}) as {
    readonly type?: unknown;
    readonly id?: unknown;
  };
  return typeof type === 'string' && typeof id === 'string' ? { type, id } : undefined;
}

/** Tells callers apart as far as policies can. */
export class PrincipalKeys {
  readonly #groups = new Set<string>();
  readonly #callers = new Set<string>();
  readonly #attributes: readonly string[];
  readonly #readsTags: boolean;
  readonly #isWhole: boolean;

  constructor(all: readonly PrincipalReads[]) {
    const attributes = new Set<string>();
    for (const one of all) {
      for (const group of one.groups) this.#groups.add(group);
      for (const id of one.callers) this.#callers.add(id);
      for (const name of one.attributes) attributes.add(name);
    }
    this.#attributes = [...attributes].sort();
    this.#readsTags = all.some(({ readsTags }) => readsTags);
    this.#isWhole = all.some(({ isWhole }) => isWhole);
  }

  /** Equal texts: no policy can tell the two callers apart. */
  of(entity: EntityJson): string {
    if (this.#isWhole) return JSON.stringify(entity);
    const { attrs, tags } = entity as { readonly attrs: Readonly<Record<string, unknown>>; readonly tags?: unknown };
    const told = this.#attributes.map((name) => (Object.hasOwn(attrs, name) ? [attrs[name]] : null));
    return JSON.stringify([this.named(entity), told, this.#readsTags ? tags : null]);
  }

  /** Its id and groups, as far as policies name them. */
  named({ uid, parents }: EntityJson): readonly string[] {
    const groups = new Set(parents.map(idOf).filter((id) => this.#groups.has(id)));
    const id = idOf(uid);
    return [this.#callers.has(id) ? id : '', ...[...groups].sort()];
  }
}

function idOf(uid: EntityJson['uid']): string {
  return '__entity' in uid ? uid.__entity.id : uid.id;
}
