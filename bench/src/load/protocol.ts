import type { Target } from './connection.ts';
import type { Era, Tool } from './messages.ts';
import type { WindowResult } from './run-window.ts';

/** What the bench asks the load process, by IPC. `key` names a set of callers or sessions that stays open. */
export type Order =
  | { readonly do: 'open'; readonly key: string; readonly target: Target; readonly era: Era; readonly callers: number }
  | { readonly do: 'run'; readonly key: string; readonly tool: Tool; readonly callers: number; readonly ms: number }
  | { readonly do: 'sessions'; readonly key: string; readonly target: Target; readonly count: number }
  | { readonly do: 'close'; readonly key: string };

export interface Numbered {
  readonly number: number;
  readonly order: Order;
}

export type Outcome =
  | { readonly number: number; readonly result: WindowResult | undefined }
  | { readonly number: number; readonly error: string };
