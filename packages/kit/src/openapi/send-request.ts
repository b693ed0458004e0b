import { fail } from '../fail.ts';
import type { Operation } from './document.ts';

/** One request to the service behind a document. */
export interface Call {
  readonly operation: Operation;
  readonly values: Readonly<Record<string, unknown>>;
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const MAX_BYTES = 5_000_000;

/** @throws ToolFailure with the service's own words for a client error, so that a model can correct its call */
export async function sendRequest({
  operation,
  values,
  base,
  headers: credentials,
  signal,
}: Call): Promise<{ status: number; body: unknown }> {
  const { method, mediaType } = operation;
  const headers: Record<string, string> = { accept: 'application/json' };
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  let content: unknown;
  let path = operation.path;
  for (const { name, place } of operation.parameters) {
    const value = values[name];
    if (value === undefined) continue;
    if (place === 'path') path = path.replace(`{${name}}`, encodeSegment(name, value));
    else if (place === 'query')
      for (const one of Array.isArray(value) ? value : [value]) query.append(name, toText(one));
    else if (place === 'header') headers[name] = toText(value).replace(/[\r\n]/g, ' ');
    else if (place === 'cookie') headers['cookie'] = `${name}=${encodeURIComponent(toText(value))}`;
    else if (place === 'body') body[name] = value;
    else content = value;
  }
  const sent = content ?? (Object.keys(body).length > 0 ? body : undefined);
  if (sent !== undefined) headers['content-type'] = mediaType ?? 'application/json';
  const url = new URL(`${base.replace(/\/$/, '')}${path}`);
  for (const [name, value] of query) url.searchParams.append(name, value);
  const response = await fetch(url, {
    method: method.toUpperCase(),
    headers: { ...headers, ...credentials },
    signal,
    redirect: 'error',
    ...(sent === undefined ? {} : { body: toBody(sent, mediaType) }),
  });
  const text = await response.text();
  if (text.length > MAX_BYTES) fail(`The answer has more than ${MAX_BYTES} characters.`, 'Ask for less at once.');
  const answered = parse(text);
  if (response.status >= 400 && response.status < 500)
    fail(
      `The service refused the call (${response.status}): ${text.slice(0, 1_000)}`,
      response.status === 404 ? 'Check the id.' : 'Correct the parameters and call again.',
    );
  if (!response.ok) fail(`The service failed (${response.status}).`, 'Try again later.');
  return { status: response.status, body: answered };
}

/** A value stays one segment: it must not lead to another operation. */
function encodeSegment(name: string, value: unknown): string {
  const text = encodeURIComponent(toText(value));
  if (text === '.' || text === '..' || text === '')
    fail(`"${toText(value)}" cannot be used as ${name}.`, 'Give the id as the service wrote it.');
  return text;
}

function toBody(value: unknown, mediaType: string | undefined): string {
  if (mediaType !== undefined && /x-www-form-urlencoded/.test(mediaType))
    return new URLSearchParams(
      Object.entries(value as Record<string, unknown>).map(([name, one]): [string, string] => [name, toText(one)]),
    ).toString();
  return typeof value === 'string' && mediaType !== undefined && !/json/.test(mediaType)
    ? value
    : JSON.stringify(value);
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
