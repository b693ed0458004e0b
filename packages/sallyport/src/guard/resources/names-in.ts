import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';
import { judgeUri, type UriContext } from './judge-uri.ts';

/** Of one result: whoever names more wants something else than to be opened. */
const MAX_NAMES = 64;
/** A result of a task holds one of a tool, which may hold others (2025-11-25 sampling). */
const MAX_DEPTH = 8;
const INSIDE = ['content', 'contents', 'messages', 'result', 'task', 'tasks'] as const;

/**
 * The names of hosts in the links and embedded resources of a result, a prompt or what was read, that have to be looked
 * up before anybody may open them. Most results have no link, and the walk ends with their first level.
 */
export function namesIn(result: JsonObject, context: UriContext): readonly string[] {
  const names = new Set<string>();
  const take = (uri: Json | undefined, isRead: boolean): void => {
    if (typeof uri !== 'string' || names.size >= MAX_NAMES) return;
    const { name } = judgeUri(uri, { ...context, isRead });
    if (name !== undefined) names.add(name);
  };
  const visit = (holder: Json | undefined, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    if (Array.isArray(holder)) {
      for (const one of holder) visit(one as Json, depth + 1);
      return;
    }
    if (!isObject(holder)) return;
    const uri = member(holder, 'uri');
    if (uri !== undefined) take(uri, member(holder, 'type') !== 'resource_link');
    const resource = member(holder, 'resource');
    if (isObject(resource)) take(member(resource, 'uri'), true);
    for (const key of INSIDE) if (Object.hasOwn(holder, key)) visit(holder[key], depth + 1);
  };
  visit(result, 0);
  return [...names];
}
