import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { cli } from './cli-terminal.ts';
import { type PlainClient, textOf } from './plain-client.ts';
import { misbehaving, newTestFolder, type RunningGateway, startGateway } from './running-sallyport.ts';

export type Rules = Record<string, unknown>;

/** One server whose tool `count` asks a person; what it did is counted in a file. */
export function setUp(rules: Rules = {}, options: Rules = {}) {
  const counter = join(newTestFolder(), 'counter');
  const config = {
    mcpServers: { a: misbehaving({ counter, tools: ['count', 'echo', 'count-and-die'], ...options }) },
    approvals: { asks: ['a/*'], ...rules },
  };
  const count = () => (existsSync(counter) ? readFileSync(counter, 'utf8').trim().split('\n').length : 0);
  return { config, count };
}

/** `sallyport approval …` on a state directory, by a person at a terminal. */
export const approval = (stateDir: string, ...words: string[]) =>
  cli(['approval', ...words, '--json'], { env: { SALLYPORT_STATE: stateDir }, answers: [] });

type Message = Awaited<ReturnType<PlainClient['call']>>;

/** The id a refusal names. */
export function idIn(message: Message): string {
  const verdict = (message.result?.['_meta'] as Record<string, Record<string, string>> | undefined)?.[
    'dev.sallyport/verdict'
  ];
  expect(verdict).toMatchObject({
    kind: 'ask',
    guard: 'approval',
    approval: expect.stringMatching(/^ap_[0-9a-f]{16}$/),
  });
  expect(textOf(message)).toContain(`Approval ${verdict?.['approval']} waits for `);
  return verdict?.['approval'] ?? '';
}

/** A running Sallyport before the server of `setUp`. */
export async function start(rules: Rules = {}, options: Rules = {}) {
  const { config, count } = setUp(rules, options);
  const gateway = await startGateway(config as never);
  return { gateway, count, state: gateway.process.stateDir, config };
}

/** One request of the REST API as the holder of a key. */
export async function rest(holder: RunningGateway, method: string, path: string, body?: unknown) {
  const response = await fetch(`${holder.origin}/api/v1${path}`, {
    method,
    headers: { ...holder.headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // The bodies of problems and answers alike.
  return { status: response.status, body: (await response.json()) as Rules };
}
