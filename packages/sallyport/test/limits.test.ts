import { describe, expect, test } from 'vitest';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { misbehaving, startGateway } from './running-sallyport.ts';

async function gatewayWith(limits: Record<string, unknown>, tools = ['echo', 'other']) {
  const upstream = await startHttpUpstream({ tools });
  const config = { limits, mcpServers: { up: { type: 'http', url: upstream.url } } };
  const gateway = await startGateway(config);
  return { upstream, gateway, config, client: await new PlainClient(gateway).initialize() };
}

const verdictOf = (result: Record<string, unknown> | undefined) =>
  (result?.['_meta'] as Record<string, unknown> | undefined)?.['dev.sallyport/verdict'];

describe('rate limits', () => {
  test('the 61st call at once is refused, with a reason a model can read and the standard headers', async () => {
    const { upstream, client } = await gatewayWith({ rules: [{ name: 'mine', per: 'principal', rate: '60/hour' }] });
    for (let i = 0; i < 60; i++) {
      const answer = await client.ask('tools/call', { name: 'up_echo', arguments: {} });
      expect(answer.headers['ratelimit-policy']).toBe('"mine";q=60;w=3600');
      expect(answer.headers['ratelimit']).toMatch(new RegExp(`^"mine";r=${59 - i};t=\\d+$`));
    }
    const refused = await client.ask('tools/call', { name: 'up_echo', arguments: {} });
    expect(refused.status).toBe(200);
    expect(refused.headers['ratelimit']).toMatch(/^"mine";r=0;t=([1-9]|[1-5]\d|60)$/);
    const { result } = JSON.parse(refused.body);
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toMatch(/^Too many calls: the limit "mine" is 60\/hour.*Try again in \d+ s;/);
    expect(verdictOf(result)).toMatchObject({ kind: 'deny', code: 'too_many', guard: 'rate-limit' });
    // A modern client of the same caller shares the count; the other tool does not help.
    const modern = await client.askModern('tools/call', { name: 'up_other', arguments: {} });
    expect(modern.headers['ratelimit']).toMatch(/^"mine";r=0;/);
    expect(upstream.calls.get('echo')).toBe(60);
    expect(upstream.calls.get('other')).toBeUndefined();
  });

  test('only what a rule names is counted, and a changed rule counts at once', async () => {
    const { client, gateway, config } = await gatewayWith({
      rules: [{ per: 'tool', rate: '1/hour', match: { upstream: 'up', tool: 'oth*' } }],
    });
    const first = await client.ask('tools/call', { name: 'up_echo', arguments: {} });
    expect(first.headers['ratelimit']).toBeUndefined();
    await client.call('up_other');
    expect(textOf(await client.call('up_other'))).toContain('Too many calls');
    gateway.process.write({ mcpServers: config.mcpServers });
    let text = textOf(await client.call('up_other'));
    while (text?.includes('Too many calls') === true) text = textOf(await client.call('up_other'));
    expect(text).not.toContain('Too many');
  });

  test('a rule for a server that is not there is a mistake, and is said', async () => {
    await expect(gatewayWith({ rules: [{ per: 'tool', rate: '1/s', match: { upstream: 'upp' } }] })).rejects.toThrow(
      'limits.rules.0.match.upstream: matches no server',
    );
  });

  test('refusals of HTTP itself say when to come back', async () => {
    const gateway = await startGateway({
      gateway: { limits: { inFlightPerClient: 1 } },
      mcpServers: { up: misbehaving() },
    });
    const client = new PlainClient(gateway);
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.askModern('tools/list')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers } of refused) expect(headers['retry-after']).toBe('1');
  });
});

describe('quotas', () => {
  test('count over a restart', async () => {
    const upstream = await startHttpUpstream();
    const config = {
      limits: { quotas: [{ name: 'daily', per: 'principal', limit: '3/month' }] },
      mcpServers: { up: { type: 'http', url: upstream.url } },
    };
    const first = await startGateway(config);
    const before = await new PlainClient(first).initialize();
    for (let i = 0; i < 2; i++) await before.call('up_echo');
    await first.process.stop();
    const second = await startGateway(config, [], {
      SALLYPORT_STATE: first.process.stateDir,
    });
    const after = await new PlainClient(second).initialize();
    const third = await after.ask('tools/call', { name: 'up_echo', arguments: {} });
    expect(third.headers['ratelimit']).toMatch(/^"daily";r=0;t=\d+$/);
    expect(textOf(await after.call('up_echo'))).toMatch(
      /^The quota "daily" is used up: 3 calls per month \(UTC\), counted for this caller\. Try again in \d+ (h|min|s);/,
    );
    expect(upstream.calls.get('echo')).toBe(3);
  });
});
