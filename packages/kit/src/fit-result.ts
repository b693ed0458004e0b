import { fail } from './fail.ts';

export interface Fitted {
  readonly output: Readonly<Record<string, unknown>>;
  readonly json: string;
  /** What was cut and how to get the rest; `undefined`: nothing was cut. */
  readonly notice: string | undefined;
}

/** Room for the notice and the members of a page that change. Characters. */
const RESERVE = 200;

/**
 * Cuts a result that is too large for a model: the largest list loses its last items, or the largest text its end, at a
 * boundary. A page says that there is more and from where.
 * @param limit characters of the result as JSON
 * @throws ToolFailure when nothing in the result can be cut
 */
export function fitResult(output: Readonly<Record<string, unknown>>, limit: number): Fitted {
  const json = JSON.stringify(output);
  if (json.length <= limit) return { output, json, notice: undefined };
  const [name, value] = findLargest(output);
  const rest = JSON.stringify({ ...output, [name]: Array.isArray(value) ? [] : '' }).length;
  const room = limit - rest - RESERVE;
  if (Array.isArray(value) && room > 0) return withJson(cutList(output, name, { value, room }));
  if (typeof value === 'string' && room > 0) return withJson(cutText(output, name, { value, room }));
  if (isObject(value) && room > 0) {
    const inner = fitResult(value, limit - rest);
    return withJson({ output: { ...output, [name]: inner.output }, notice: inner.notice });
  }
  return fail(`The result has more than ${limit} characters.`, 'Ask for fewer items or fewer fields.');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function withJson(cut: Omit<Fitted, 'json'>): Fitted {
  return { ...cut, json: JSON.stringify(cut.output) };
}

function findLargest(output: Readonly<Record<string, unknown>>): [string, unknown] {
  let largest: [string, unknown] = ['', undefined];
  let most = 0;
  for (const [name, value] of Object.entries(output)) {
    if (!isObject(value) && typeof value !== 'string') continue;
    const { length } = JSON.stringify(value);
    if (length > most) [most, largest] = [length, [name, value]];
  }
  return largest;
}

function cutList(
  output: Readonly<Record<string, unknown>>,
  name: string,
  { value, room }: { readonly value: readonly unknown[]; readonly room: number },
): Omit<Fitted, 'json'> {
  let used = 0;
  let count = 0;
  for (const item of value) {
    used += JSON.stringify(item).length + 1;
    if (used > room) break;
    count++;
  }
  if (count === 0)
    fail(`One item of "${name}" alone is too large for a result.`, 'Ask for fewer fields, or for one item.');
  const cut = { ...output, [name]: value.slice(0, count) };
  if ('next_cursor' in output) {
    // The cursor leads past the items that were cut.
    const { next_cursor: _, ...here } = cut as Readonly<Record<string, unknown>>;
    return {
      output: { ...here, has_more: true },
      notice: `Only ${count} of ${value.length} items of "${name}" fit. Call again with the same cursor and limit ${count}.`,
    };
  }
  const offset = output['offset'];
  if (typeof offset !== 'number' || !('has_more' in output))
    return {
      output: cut,
      notice: `Only the first ${count} of ${value.length} items of "${name}" are here. Ask for fewer at once.`,
    };
  const next = offset + count;
  return {
    output: { ...cut, has_more: true, next_offset: next },
    notice: `Only ${count} of ${value.length} items of "${name}" fit. Call again with offset ${next} for the rest.`,
  };
}

function cutText(
  output: Readonly<Record<string, unknown>>,
  name: string,
  { value, room }: { readonly value: string; readonly room: number },
): Omit<Fitted, 'json'> {
  // Escapes take up to six characters each, so the length as JSON decides.
  let end = Math.min(value.length, room);
  while (end > 0 && JSON.stringify(value.slice(0, end)).length > room) end = Math.floor(end * 0.9);
  const boundary = Math.max(value.lastIndexOf('\n', end), value.lastIndexOf(' ', end));
  if (boundary > end / 2) end = boundary;
  // Half a character would be shown as a replacement sign.
  if (/[\ud800-\udbff]/.test(value.charAt(end - 1))) end--;
  return {
    output: { ...output, [name]: value.slice(0, end) },
    notice: `Only the first ${end} of ${value.length} characters of "${name}" are here. Ask for a part of it.`,
  };
}
