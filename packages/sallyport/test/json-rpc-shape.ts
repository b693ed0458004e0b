function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Why a text is not one JSON-RPC 2.0 message as a server may send it, or a batch of answers; `undefined`: it is. */
export function problemWith(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `no JSON: ${error}`;
  }
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty batch' : value.map(problemWithMessage).find((found) => found !== undefined);
  return problemWithMessage(value);
}

function problemWithMessage(value: unknown): string | undefined {
  if (!isObject(value)) return 'no object';
  if (value['jsonrpc'] !== '2.0') return 'another version';
  const { id, method, result, error } = value;
  if (method !== undefined) {
    if (typeof method !== 'string') return 'a method that is no text';
    return result === undefined && error === undefined ? undefined : 'a method and an answer';
  }
  if ((result === undefined) === (error === undefined)) return 'not exactly one of result and error';
  if (result !== undefined) {
    if (typeof id !== 'string' && typeof id !== 'number') return 'a result of nothing';
    return isObject(result) ? undefined : 'a result that is no object';
  }
  if (!Object.hasOwn(value, 'id')) return 'an error without an id';
  if (!isObject(error)) return 'an error that is no object';
  return Number.isInteger(error['code']) && typeof error['message'] === 'string'
    ? undefined
    : 'an error without code or message';
}
