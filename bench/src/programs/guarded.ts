import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Launched, LaunchOptions } from './program.ts';
import { launchSallyport, SALLYPORT, type SallyportOptions, UNREAD, upstreamEntry } from './sallyport.ts';

const run = promisify(execFile);

/** Policies of a team as one finds them: by group and server, by tool, and a few by the arguments of certain tools. */
const POLICIES = 50;

/**
 * Sallyport with every door of issue 3 in the way: an API key, fifty policies, pins, three limits and a quota, and the audit in
 * its strictest mode, which has each record on disk before the call leaves.
 */
export async function launchGuarded(options: LaunchOptions): Promise<Launched> {
  const { key, sections } = await writeGuards(options);
  return launchSallyport({ echo: upstreamEntry(options) }, options, { key, sections: { ...sections, ...UNREAD } });
}

/** Its key and sections, for whoever adds to them. */
export async function writeGuards({ directory }: LaunchOptions): Promise<Required<Omit<SallyportOptions, 'env'>>> {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'team.cedar');
  writeFileSync(file, writePolicies());
  // The memory of a program is measured in the same folder again, where the first name is taken.
  const key = await createKey(directory, `bench-${randomUUID().slice(0, 8)}`);
  return {
    key,
    sections: {
      audit: { mode: 'strict' },
      policy: { files: [file] },
      limits: {
        rules: [
          { name: 'each-caller', per: 'principal', rate: '1000000/s' },
          { name: 'each-tool', per: 'principal+tool', rate: '1000000/s' },
          { name: 'each-server', per: 'upstream', rate: '1000000/s' },
        ],
        quotas: [{ name: 'month', per: 'upstream', limit: '100000000/month', match: { upstream: 'echo' } }],
      },
    },
  };
}

/** A caller of its own, in the group `dev`. */
export async function createKey(directory: string, name: string): Promise<string> {
  const args = [SALLYPORT, 'key', 'create', name, '--group', 'dev', '--account', name, '--json'];
  const env = { ...process.env, SALLYPORT_STATE: join(directory, 'state') };
  const { stdout } = await run(process.execPath, args, { env });
  return (JSON.parse(stdout) as { key: string }).key;
}

/** None of them reads the arguments of the tool that is measured: what that costs stands in docs/policy.md. */
function writePolicies(): string {
  const policies = ['permit(principal in Group::"dev", action, resource in Server::"echo");'];
  for (let team = 0; policies.length < POLICIES; team += 1) {
    policies.push(
      `permit(principal in Group::"team-${team}", action, resource in Server::"echo");`,
      `forbid(principal in Group::"guests-${team}", action, resource in Server::"echo") unless { resource has readOnly && resource.readOnly };`,
      `forbid(principal in Group::"guests-${team}", action, resource) when { resource.sinks.contains(Sink::"pay") };`,
      `@ask("A person looks at this.") permit(principal in Group::"team-${team}", action == Action::"call", resource) when { resource.sinks.contains(Sink::"delete") };`,
      `forbid(principal, action == Action::"call", resource == Tool::"echo/transfer-${team}") when { context.arguments has amount && context.arguments.amount > ${100 * (team + 1)} };`,
    );
  }
  return `${policies.slice(0, POLICIES).join('\n')}\n`;
}
