import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';
import { judgeUri, type UriContext } from './judge-uri.ts';

/** Of one result: whoever names more wants something else than to be opened. */
const MAX_NAMES = 32;

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
  const visit = (item: Json | undefined): void => {
    const type = member(item, 'type');
    if (type === 'resource_link') take(member(item, 'uri'), false);
    else if (type === 'resource') take(member(member(item, 'resource'), 'uri'), true);
  };
  each(result, 'content', visit);
  each(result, 'contents', (item) => take(member(item, 'uri'), true));
  each(result, 'messages', (message) => visit(member(message, 'content')));
  return [...names];
}

function each(result: JsonObject, key: string, visit: (item: Json) => void): void {
  const items = member(result, key);
  if (Array.isArray(items)) for (const item of items) if (isObject(item)) visit(item);
}
