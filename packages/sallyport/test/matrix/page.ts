import type { Front } from './cells.ts';
export type Results = Map<string, boolean>;
export function checkPage(_front: Front, _results: Results): void {}
