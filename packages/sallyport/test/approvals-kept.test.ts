import { join } from 'node:path';
import { expect, test } from 'vitest';
import { approval, idIn, start } from './approvals-set-up.ts';
import { cli } from './cli-terminal.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { newTestFolder, type RunningGateway, SallyportProcess, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

async function restart(gateway: RunningGateway, config: unknown): Promise<RunningGateway> {
  return startGateway(config as never, [], { SALLYPORT_STATE: gateway.process.stateDir });
}

test('killed between the yes and the dispatch, the yes is kept and works once', async () => {
  const { gateway, count, state, config } = await start({ waitMs: 30_000 });
  const client = await new PlainClient(gateway).initialize();
  const lost = client.call('a_count').catch(() => undefined);
  const id = await waitFor(async () => {
    const { approvals } = (await approval(state, 'list')).json() as { approvals: { id: string }[] };
    return approvals[0]?.id ?? expect.fail('not yet asked');
  });
  await gateway.process.stop('SIGKILL');
  await lost;
  await approval(state, 'allow', id);
  const next = await restart(gateway, { ...config, approvals: { asks: ['a/count'] } });
  // Under other rules the yes is worth nothing.
  idIn(await (await new PlainClient(next).initialize()).call('a_count'));
  await next.process.stop('SIGKILL');
  const same = await restart(gateway, config);
  const again = await new PlainClient(same).initialize();
  expect(textOf(await again.call('a_count'))).toBe('counted');
  expect(count()).toBe(1);
});

test('killed after the dispatch, the call is not run a second time', async () => {
  const { gateway, count, state, config } = await start({}, { tools: ['wait'] });
  const never = join(newTestFolder(), 'never');
  const client = await new PlainClient(gateway).initialize();
  const id = idIn(await client.call('a_wait', { until: never }));
  await approval(state, 'allow', id);
  const lost = client.call('a_wait', { until: never }).catch(() => undefined);
  await waitFor(() => expect(count()).toBe(1));
  await gateway.process.stop('SIGKILL');
  await lost;
  const next = await restart(gateway, config);
  const again = await new PlainClient(next).initialize();
  expect(idIn(await again.call('a_wait', { until: never }))).not.toBe(id);
  expect(count()).toBe(1);
});

test('killed at any moment, no yes runs a call twice', async () => {
  const { gateway, count, state, config } = await start();
  let running = gateway;
  let yeses = 0;
  let counted = 0;
  for (const delay of [0, 3, 10, 30]) {
    const client = await new PlainClient(running).initialize();
    const id = idIn(await client.call('a_count', { delay }));
    await approval(state, 'allow', id);
    yeses++;
    const lost = client.call('a_count', { delay }).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, delay));
    await running.process.stop('SIGKILL');
    await lost;
    running = await restart(gateway, config);
    const again = await (await new PlainClient(running).initialize()).call('a_count', { delay });
    // Either the yes is still worth one call, or it was taken and a person is asked anew.
    if (textOf(again) === 'counted') counted++;
    else idIn(again);
    expect(count()).toBeLessThanOrEqual(yeses);
    expect(count()).toBeGreaterThanOrEqual(counted);
  }
});

test('watch prints one line per event, and on a terminal takes the answer', async () => {
  const { gateway, state } = await start();
  const client = await new PlainClient(gateway).initialize();
  const watcher = new SallyportProcess('{}', ['approval', 'watch', '--json'], { SALLYPORT_STATE: state });
  const events = () =>
    watcher.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { event: string; approval: { id: string } });
  const id = idIn(await client.call('a_count', { n: 1 }));
  await watcher.until(() => events().length === 1);
  await approval(state, 'deny', id);
  await watcher.until(() => events().length === 2);
  expect(events()).toMatchObject([
    { event: 'asked', approval: { id } },
    { event: 'denied', approval: { id } },
  ]);
  expect((await watcher.stop()).signal).toBeNull();

  idIn(await client.call('a_count', { n: 2 }));
  const watched = await cli(['approval', 'watch'], {
    env: { SALLYPORT_STATE: state },
    answers: ['x', 'y'],
    interruptAt: 'allowed',
  });
  expect(watched.stdout).toContain('"n": 2');
  // A key that means nothing decides nothing, and the keys are shown.
  expect(watched.stderr).toContain('y  yes, this once');
  expect(textOf(await client.call('a_count', { n: 2 }))).toBe('counted');
});

test.each([
  ['n', 'denied'],
  ['q', 'waiting'],
  ['', 'waiting'],
])('watch takes the key %j: %s', async (key, after) => {
  const { gateway, state } = await start();
  const client = await new PlainClient(gateway).initialize();
  const id = idIn(await client.call('a_count', { n: 1 }));
  const left = key === '' ? { interruptAt: 'help: ' } : key === 'q' ? {} : { interruptAt: `: ${after}` };
  const env = { SALLYPORT_STATE: state };
  const watched = await cli(['approval', 'watch'], { env, answers: [key], ...left });
  expect(watched.stderr).toContain('[y]es once');
  const shown = await cli(['approval', 'show', id, '--json'], { env });
  expect(shown.json()).toMatchObject({ state: after });
});

test.each(['watch', 'list', 'show', 'allow', 'deny', 'revoke'])('approval %s --help says how', async (verb) => {
  const { exit, stdout } = await cli(['approval', verb, '--help']);
  expect(exit).toBe(0);
  expect(stdout).toContain(`Usage: sallyport approval ${verb}`);
});

test.each([
  [['allow', 'ap_none'], 'There is no approval'],
  [['show', 'ap_none'], 'There is no approval'],
  [['revoke', 'gr_none'], 'There is no grant'],
  [['allow', 'ap_none', '--for', 'ever'], '--for is one of'],
  [['allow', 'ap_none', '--pattern', '[1]'], '--pattern is a JSON object'],
  [['allow', 'ap_none', '--pattern', 'any'], '--pattern needs --for run (until the conversation ends) or --for always'],
  [['allow', 'ap_none', '--pattern', '{"a":"*"}', '--for', 'once'], '--pattern needs --for run'],
  [['allow', 'ap_none', '--arguments', '{'], '--arguments is a JSON object'],
  [['list', '--state', 'lost'], '--state is one of'],
])('approval %j fails and says why', async (words, message) => {
  const { exit, stderr } = await approval(newTestFolder(), ...words);
  expect(exit).toBe(1);
  expect(stderr).toContain(message);
});
