import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PlainClient } from './plain-client.ts';
import type { RunningGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const MAIN = fileURLToPath(new URL('../bin/sallyport.js', import.meta.url));

/** A gateway as the holder of a new key sees it; `options` are those of `key create`. */
export async function keyHolder(
  gateway: RunningGateway,
  name: string,
  options: readonly string[],
): Promise<RunningGateway> {
  const { stateDir, configFile } = gateway.process;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [MAIN, 'key', 'create', name, ...options, '--json', '--config', configFile],
    { env: { ...process.env, SALLYPORT_STATE: stateDir } },
  );
  const { key } = JSON.parse(stdout) as { key: string };
  const holder: RunningGateway = { ...gateway, headers: { ...gateway.headers, authorization: `Bearer ${key}` } };
  // A running Sallyport notices new keys within half a second.
  await waitFor(async () => {
    const { status } = await new PlainClient(holder).askModern('server/discover');
    if (status !== 200) throw new Error(`the key "${name}" is not known yet: ${status}`);
  });
  return holder;
}
