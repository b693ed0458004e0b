import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { approval, idIn, rest, setUp, start } from './approvals-set-up.ts';
import { atTheEnd } from './at-the-end.ts';
import { cli } from './cli-terminal.ts';
import { keyHolder } from './keyed-callers.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const SECRET = 'hunter2-hunter2';

interface Page {
  readonly items: readonly Record<string, unknown>[];
  readonly next?: string;
}

const items = async (holder: RunningGateway, path: string) =>
  ((await rest(holder, 'GET', path)).body as unknown as Page).items;

/** Events of a stream as they come. */
async function follow(holder: RunningGateway, path: string) {
  const abort = new AbortController();
  atTheEnd(() => abort.abort());
  const response = await fetch(`${holder.origin}/api/v1${path}`, { headers: holder.headers, signal: abort.signal });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const heard = { text: '' };
  void (async () => {
    for await (const piece of response.body ?? []) heard.text += Buffer.from(piece).toString('utf8');
  })().catch(() => undefined);
  return heard;
}

describe('approvals over the API', () => {
  it('operators see arguments and answer, viewers see names; every answer stands in the record', async () => {
    const { gateway, count, state } = await start();
    const viewer = await keyHolder(gateway, 'eyes', ['--group', 'viewer']);
    const operator = await keyHolder(gateway, 'hands', ['--person', 'bob', '--group', 'operator']);
    const nobody = await keyHolder(gateway, 'caller', []);
    const seen = await follow(viewer, '/approvals/events');
    const known = await follow(operator, '/approvals/events');
    const client = await new PlainClient(gateway).initialize();
    const id = idIn(await client.call('a_count', { password: SECRET, of: 'sheep' }));

    const shown = await rest(viewer, 'GET', `/approvals/${id}`);
    expect(shown).toMatchObject({
      status: 200,
      body: {
        id,
        state: 'waiting',
        tool: 'count',
        argumentNames: ['password', 'of'],
        argumentsDigest: expect.any(String),
      },
    });
    expect(await items(viewer, '/approvals?state=waiting&upstream=a')).toMatchObject([{ id }]);
    const password = expect.stringMatching(/^\{\{hidden:password:[a-z2-7]{16}\}\}$/);
    expect((await rest(operator, 'GET', `/approvals/${id}`)).body).toMatchObject({
      arguments: { password, of: 'sheep' },
    });
    await waitFor(() => expect(known.text).toMatch(/event: asked\ndata: .*\{\{hidden:password:/));
    await waitFor(() => expect(seen.text).toContain('event: asked'));

    expect((await rest(nobody, 'GET', '/approvals')).status).toBe(403);
    expect((await rest(viewer, 'POST', `/approvals/${id}/allow`, {})).status).toBe(403);
    expect((await rest(viewer, 'POST', `/approvals/${id}/deny`, {})).status).toBe(403);
    expect((await rest(operator, 'POST', `/approvals/${id}/allow`, { scope: 'ever' })).status).toBe(422);
    expect((await rest(operator, 'POST', `/approvals/${id}/allow`, { once: true })).status).toBe(422);
    expect((await rest(operator, 'POST', '/approvals/ap_none/allow', {})).status).toBe(404);
    expect(count()).toBe(0);

    const allowed = await rest(operator, 'POST', `/approvals/${id}/allow`, { scope: 'run' });
    expect(allowed.body).toMatchObject({ state: 'allowed', answers: [{ person: 'bob', via: 'api', scope: 'run' }] });
    expect((await rest(operator, 'POST', `/approvals/${id}/allow`, {})).status).toBe(409);
    expect(textOf(await client.call('a_count', { password: SECRET, of: 'sheep' }))).toBe('counted');
    await waitFor(() => expect(seen.text).toContain('event: allowed'));

    const [grant] = await items(viewer, '/grants');
    expect(grant).toMatchObject({ approvalId: id, scope: 'run', hasPattern: false });
    expect((await rest(viewer, 'DELETE', `/grants/${grant?.['id']}`)).status).toBe(403);
    expect((await rest(operator, 'DELETE', `/grants/${grant?.['id']}`)).body).toEqual({
      id: grant?.['id'],
      revoked: true,
    });
    expect((await rest(operator, 'DELETE', `/grants/${grant?.['id']}`)).status).toBe(404);
    idIn(await client.call('a_count', { password: SECRET, of: 'sheep' }));

    const notes = await items(viewer, '/audit/calls?kind=event&person=bob');
    expect(notes).toMatchObject([
      { kind: 'grant_revoke', grant: grant?.['id'] },
      { kind: 'approval_answer', approval: id, answer: 'allow', scope: 'run', via: 'api' },
    ]);
    expect(await items(viewer, '/audit/calls?kind=grant_revoke')).toMatchObject([{ grant: grant?.['id'] }]);
    expect(seen.text + known.text).not.toMatch(SECRET);
    expect(seen.text).not.toContain('sheep');
    expect(JSON.stringify([shown, notes, await items(viewer, '/approvals'), grant])).not.toContain(SECRET);
    expect((await cli(['audit', 'export'], { env: { SALLYPORT_STATE: state } })).stdout).not.toContain(SECRET);
  });

  it('two people are two people, whatever their keys', async () => {
    const { gateway, count, state } = await start({ twoPerson: ['any'] });
    const bob = await keyHolder(gateway, 'bob-desk', ['--person', 'bob', '--group', 'operator']);
    const bobToo = await keyHolder(gateway, 'bob-phone', ['--person', 'bob', '--group', 'admin']);
    const client = await new PlainClient(gateway).initialize();
    const id = idIn(await client.call('a_count'));
    const answer = (who: RunningGateway) => rest(who, 'POST', `/approvals/${id}/allow`, {});
    expect((await answer(bob)).body).toMatchObject({ state: 'waiting', needed: 2 });
    for (const again of [bob, bobToo])
      expect(await answer(again)).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining('Another person') },
      });
    expect(idIn(await client.call('a_count'))).toBe(id);
    // The laptop key and the terminal are one person, and not bob.
    expect((await answer(gateway)).body).toMatchObject({ state: 'allowed' });
    expect((await approval(state, 'allow', id)).stderr).toContain('allowed already');
    expect(textOf(await client.call('a_count'))).toBe('counted');
    expect(count()).toBe(1);
  });

  it('a caller that may not approve its own calls may not with another key of its person either', async () => {
    const { gateway } = await start({ selfApproval: false });
    const agent = await keyHolder(gateway, 'agent', ['--person', 'bob']);
    const bob = await keyHolder(gateway, 'bob', ['--person', 'bob', '--group', 'operator']);
    const ann = await keyHolder(gateway, 'ann', ['--person', 'ann', '--group', 'operator']);
    const client = await new PlainClient(agent).initialize();
    const id = idIn(await client.call('a_count'));
    expect((await rest(bob, 'POST', `/approvals/${id}/allow`, {})).status).toBe(403);
    expect((await rest(ann, 'POST', `/approvals/${id}/allow`, {})).body).toMatchObject({ state: 'allowed' });
    expect(textOf(await client.call('a_count'))).toBe('counted');
  });

  it('page by page, every approval once', async () => {
    const { gateway } = await start();
    const client = await new PlainClient(gateway).initialize();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(idIn(await client.call('a_count', { n })));
    const seen: unknown[] = [];
    let path = '/approvals?limit=2';
    for (;;) {
      const page = (await rest(gateway, 'GET', path)).body as unknown as Page;
      seen.push(...page.items.map((one) => one['id']));
      if (page.next === undefined) break;
      path = `/approvals?limit=2&cursor=${encodeURIComponent(page.next)}`;
    }
    expect(seen).toEqual(ids.reverse());
    expect((await rest(gateway, 'GET', '/approvals?cursor=x')).status).toBe(400);
  });
});

it('a yes is not lost when the audit refuses the call it was for', async () => {
  const { config, count } = setUp();
  const gateway = await startGateway({ ...config, audit: { mode: 'strict' } } as never);
  const client = await new PlainClient(gateway).initialize();
  const id = idIn(await client.call('a_count'));
  expect((await rest(gateway, 'POST', `/approvals/${id}/allow`, {})).body).toMatchObject({ state: 'allowed' });
  const folder = join(gateway.process.stateDir, 'audit', '0');
  const segment = join(folder, readdirSync(folder).find((name) => name.endsWith('.jsonl')) ?? '');
  renameSync(segment, `${segment}.moved`);
  // While nothing can be recorded, nothing is answered and nothing is run.
  await waitFor(async () =>
    expect((await rest(gateway, 'GET', '/health')).body).toMatchObject({
      ok: false,
      audit: { mode: 'strict', trouble: expect.stringContaining('was removed') },
    }),
  );
  for (let i = 0; i < 3; i++) expect((await client.call('a_count')).error?.message).toContain('could not be recorded');
  const [grant] = await items(gateway, '/grants');
  expect(grant).toMatchObject({ approvalId: id, scope: 'once' });
  expect((await rest(gateway, 'DELETE', `/grants/${grant?.['id']}`)).status).toBe(503);
  expect(count()).toBe(0);
  renameSync(`${segment}.moved`, segment);
  await waitFor(async () => expect(textOf(await client.call('a_count'))).toBe('counted'));
  expect(count()).toBe(1);
  expect(await items(gateway, '/grants')).toEqual([]);
  idIn(await client.call('a_count'));
});
