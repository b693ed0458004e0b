import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import type { Child, Children } from './children.ts';

const MAIN = fileURLToPath(new URL('../cli/main.js', import.meta.url));
const PATIENCE_MS = 40_000;
const LOOK_MS = 100;

/** A Sallyport of the drill: the program itself, on a port and a state directory of its own. */
export interface RunningSallyport {
  readonly url: string;
  /** One request of its REST API as its owner. @throws Error for anything but success. */
  rest(method: string, path: string, body?: Json): Promise<JsonObject>;
  /** Writes the configuration anew, and waits until it is in force. */
  configure(config: JsonObject): Promise<void>;
  /** Asks again until there is an answer. @returns undefined when there is none in time */
  until<T>(look: () => Promise<T | undefined>, patienceMs?: number): Promise<T | undefined>;
  end(): Promise<void>;
}

export async function startSallyport(
  config: JsonObject,
  folder: string,
  children: Children,
): Promise<RunningSallyport> {
  const file = join(folder, 'sallyport.json');
  writeFileSync(file, JSON.stringify(config));
  const { SALLYPORT_CONFIG: _, ...env } = process.env;
  const child: Child = children.start([MAIN, 'up', '--port', '0', '--json', '--config', file], {
    cwd: folder,
    env: { ...env, SALLYPORT_STATE: join(folder, 'state') },
  });
  const line = await child.firstLine();
  if (!line.endsWith('}')) {
    // An error takes several lines, and is told to people at the same time.
    await child.end();
    throw new Error(`Sallyport did not start: ${child.said()}`);
  }
  const facts: unknown = JSON.parse(line);
  const url = String(member(facts, 'url'));
  const key = readFileSync(String(member(facts, 'keyFile')), 'utf8').trim();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const rest = async (method: string, path: string, body?: Json): Promise<JsonObject> => {
    const response = await fetch(`${new URL(url).origin}/api/v1${path}`, {
      method,
      headers,
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    const value: unknown = text === '' ? {} : JSON.parse(text);
    return isObject(value) ? value : {};
  };
  const countConfigured = async () => itemsOf(await rest('GET', '/audit/calls?kind=configured&limit=100')).length;
  return {
    url,
    rest,
    until,
    async configure(written) {
      const before = await countConfigured();
      writeFileSync(file, JSON.stringify(written));
      const isInForce = await until(async () => (await countConfigured()) > before || undefined);
      if (isInForce === undefined) throw new Error(`Sallyport did not take the configuration: ${child.said()}`);
    },
    end: () => child.end(),
  };
}

/** Asks again until there is an answer; `undefined` when there is none in time. */
async function until<T>(look: () => Promise<T | undefined>, patienceMs = PATIENCE_MS): Promise<T | undefined> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found !== undefined || Date.now() > deadline) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** The items of a list of the API. */
export function itemsOf(answer: JsonObject): readonly JsonObject[] {
  const items = member(answer, 'items');
  return Array.isArray(items) ? items.filter(isObject) : [];
}
