import { describe, expect, it } from 'vitest';
import { startHttpUpstream } from './http-upstream.ts';
import { keyHolder } from './keyed-callers.ts';
import { PlainClient } from './plain-client.ts';
import { startGateway } from './running-sallyport.ts';

/** A code repository as the whitepaper's appendix has it: one token with rights on every repository, callers who have not. */
async function startCase(extra: Record<string, unknown>, settings: Record<string, unknown> = { shared: true }) {
  const issues: string[] = [];
  const repository = await startHttpUpstream({
    tools: ['create_issue'],
    behave(message, _response, request) {
      if (message.method !== 'tools/call' || request.headers.authorization !== 'Bearer one-token-for-all') return false;
      const given = (message.params as { arguments?: { repo?: string } }).arguments;
      issues.push(String(given?.repo));
      return false;
    },
  });
  const gateway = await startGateway({
    mcpServers: {
      github: { url: repository.url, headers: { Authorization: 'Bearer one-token-for-all' }, ...settings },
    },
    ...extra,
  });
  const a = new PlainClient(await keyHolder(gateway, 'a', ['--attribute', 'repository=acme/a']));
  const b = new PlainClient(await keyHolder(gateway, 'b', ['--attribute', 'repository=acme/b']));
  return { gateway, a, b, issues };
}

const BINDING = { upstream: 'github', argument: 'repo', attribute: 'repository' };
const issue = (repo: string) => ({ repo, title: 'found by an agent' });

describe('two callers, one shared token', () => {
  it('keeps each to its own repository', async () => {
    const { a, b, issues } = await startCase({ bindings: [BINDING] });
    expect((await a.callModern('github_create_issue', issue('acme/a'))).result).not.toHaveProperty('isError');
    expect((await b.callModern('github_create_issue', issue('acme/b'))).result).not.toHaveProperty('isError');
    for (const repo of ['acme/b', 'acme/B', 'acme/a/../b', 'acme/%62', ' acme/a']) {
      const { result } = await a.callModern('github_create_issue', issue(repo));
      expect(result, repo).toMatchObject({ isError: true, _meta: { 'dev.sallyport/verdict': { guard: 'bindings' } } });
    }
    expect(issues).toEqual(['acme/a', 'acme/b']);
  });

  it('keeps who has several to those, wherever in the arguments they stand', async () => {
    const { gateway, issues } = await startCase({
      bindings: [{ upstream: 'github', argument: '/changes/repo', attribute: ['team', 'repository'] }],
    });
    const options = [
      '--attribute',
      'repository=acme/a',
      '--attribute',
      'repository=acme/b',
      '--attribute',
      'team=acme/t',
    ];
    const c = new PlainClient(await keyHolder(gateway, 'c', options));
    const change = (...repos: string[]) =>
      c.callModern('github_create_issue', { changes: repos.map((repo) => ({ repo })) });
    expect((await change('acme/a', 'acme/t', 'acme/b')).result).not.toHaveProperty('isError');
    expect((await change('acme/a', 'acme/c')).result).toMatchObject({ isError: true });
    expect((await change()).result).toMatchObject({ isError: true });
    const twice = { changes: [{ repo: 'acme/a', Repo: 'acme/c' }] };
    expect((await c.callModern('github_create_issue', twice)).result).toMatchObject({
      isError: true,
      _meta: { 'dev.sallyport/verdict': { guard: 'bindings' } },
    });
    expect(issues).toHaveLength(1);
  });

  it('refuses to write where nothing binds', async () => {
    const { a, issues } = await startCase({});
    const { result } = await a.callModern('github_create_issue', issue('acme/a'));
    expect(result).toMatchObject({ isError: true, _meta: { 'dev.sallyport/verdict': { guard: 'bindings' } } });
    expect(issues).toEqual([]);
  });

  it('is the confused deputy without both: what the two tests above are for', async () => {
    const { a, issues } = await startCase({}, {});
    expect((await a.callModern('github_create_issue', issue('acme/b'))).result).not.toHaveProperty('isError');
    expect(issues).toEqual(['acme/b']);
  });
});
