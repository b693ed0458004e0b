import type { TaintSettings } from '../../config/taint-section.ts';
import { matchesGlob } from '../../core/glob.ts';
import { type Marks, toMarks, UNTRUSTED } from './labels.ts';

const kept = new WeakMap<TaintSettings, Map<string, Marks>>();
const MAX_KEPT = 20_000;

/**
 * What the results of a tool, resource or prompt bear. The operator's word counts, else they are untrusted: MCP takes every
 * tool for one of the open world unless it says otherwise (2025-06-18, ToolAnnotations), and its saying so is a stranger's.
 */
export function marksOf(settings: TaintSettings, upstream: string, target: string): Marks {
  let known = kept.get(settings);
  if (known === undefined) {
    known = new Map();
    kept.set(settings, known);
  }
  const key = `${upstream}.${target}`;
  let marks = known.get(key);
  if (marks === undefined) {
    const said = settings.sources.find(({ match }) => matchesGlob(match, upstream) || matchesGlob(match, key));
    marks = said === undefined ? UNTRUSTED : toMarks({ untrusted: said.trust === 'untrusted', privacy: said.privacy });
    if (known.size >= MAX_KEPT) known.clear();
    known.set(key, marks);
  }
  return marks;
}

/** Servers that private data may go to. */
export function isInside({ inside }: TaintSettings, upstream: string): boolean {
  return inside.some((glob) => matchesGlob(glob, upstream));
}
