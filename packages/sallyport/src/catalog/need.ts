import { member } from '../core/json.ts';
import type { Asked } from './asked.ts';
import type { AnnouncedList, ListKind, View } from './contract.ts';
import { LIST_KINDS } from './items.ts';

/** What a request needs of a view: only for that it waits while some lists are not known yet. */
export type Need =
  | { readonly kind: 'everything' | 'nothing' }
  /** Who the endpoint is, and what it is capable of. */
  | { readonly kind: 'introduction' }
  | { readonly kind: 'list'; readonly list: ListKind }
  | { readonly kind: 'item'; readonly list: AnnouncedList; readonly name: string };

const NOTHING: Need = { kind: 'nothing' };
const EVERYTHING: Need = { kind: 'everything' };
const INTRODUCTION: Need = { kind: 'introduction' };
const LISTS: ReadonlyMap<string, Need> = new Map(
  [...LIST_KINDS].map(([list, { method }]) => [method, { kind: 'list', list }]),
);

/** @param asked left out: everything is needed */
export function toNeed(asked: Asked | undefined): Need {
  if (asked === undefined) return EVERYTHING;
  const { method, params } = asked;
  switch (method) {
    case 'tools/call':
      return toItem('tools', member(params, 'name'));
    case 'prompts/get':
      return toItem('prompts', member(params, 'name'));
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return toItem('resources', member(params, 'uri'));
    case 'completion/complete': {
      const ref = member(params, 'ref');
      const isPrompt = member(ref, 'type') === 'ref/prompt';
      return isPrompt ? toItem('prompts', member(ref, 'name')) : toItem('resources', member(ref, 'uri'));
    }
    case 'initialize':
    case 'server/discover':
    case 'subscriptions/listen':
      return INTRODUCTION;
    default:
      return LISTS.get(method) ?? NOTHING;
  }
}

export function isList(asked: Asked | undefined): boolean {
  return asked !== undefined && LISTS.has(asked.method);
}

function toItem(list: AnnouncedList, name: unknown): Need {
  return typeof name === 'string' ? { kind: 'item', list, name } : NOTHING;
}

/** Whether a view that lacks some lists has what is needed. */
export function isMet(need: Need, view: View): boolean {
  switch (need.kind) {
    case 'nothing':
      return true;
    case 'everything':
    case 'introduction':
    case 'list':
      return false;
    case 'item':
      return hasItem(view, need.list, need.name);
  }
}

function hasItem(view: View, list: AnnouncedList, name: string): boolean {
  switch (list) {
    case 'tools':
      return view.tool(name) !== undefined || view.hiddenTool(name) !== undefined;
    case 'prompts':
      return view.prompt(name) !== undefined || view.whyHeld(list, name) !== undefined;
    case 'resources':
      return view.resource(name).length > 0 || view.whyHeld(list, name) !== undefined;
  }
}
