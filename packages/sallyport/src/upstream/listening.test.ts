import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { childSettings, createClient, type Opened, openUpstreams } from '../../test/upstream-set-up.ts';

const server = fileURLToPath(new URL('../../../../servers/conformance-mcp-server/dist/main.js', import.meta.url));
const opened: Opened[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

it('agrees to a subscription whose stream is overtaken by the next change of what is wanted', async () => {
  const upstreams = openUpstreams(childSettings([server, '--transport', 'stdio', '--era', 'modern']));
  opened.push(upstreams);
  const client = createClient('c', {});
  expect((await upstreams.subscribe('subject', 'test://a', client)).result).toEqual({});
  const second = upstreams.subscribe('subject', 'test://b', client);
  // The stream for both is asked for by now, and the child has not answered yet.
  await new Promise(setImmediate);
  await upstreams.unsubscribe('subject', 'test://a', client);
  expect((await second).outcome).toMatchObject({ kind: 'result' });
});
