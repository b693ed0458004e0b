import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerTo, openSubject, type Subject, streaming } from '../../test/http-subject.ts';
import {
  CAPABLE,
  createClient,
  httpSettings,
  type Opened,
  openUpstreams,
  TestExchange,
  toCall,
} from '../../test/upstream-set-up.ts';
import { Answer, Notification } from '../core/message.ts';

const QUESTION = { jsonrpc: '2.0', id: 'q', method: 'roots/list', params: { _meta: { progressToken: 'p' } } };
const client = createClient('c', CAPABLE, 'legacy');

let subject: Subject;
let upstreams: Opened;
const seen: string[] = [];
let answered = () => {};
beforeEach(async () => {
  subject = await openSubject();
  seen.length = 0;
  upstreams = openUpstreams(httpSettings(subject.url, { era: 'legacy' }));
  subject.on('answer', ({ send }) => {
    seen.push('answer');
    answered();
    send(202, {}, '');
  });
});
afterEach(async () => {
  await upstreams.close();
  await subject.close();
});

/** The client tells progress twice and then answers, all at once. */
async function tellAndAnswer(): Promise<void> {
  const exchange = new TestExchange({
    client,
    answer: async () => {
      for (const progress of [1, 2])
        await upstreams.notify(
          'subject',
          Notification.of('notifications/progress', { progressToken: 'p', progress }),
          client,
        );
      return Answer.result('"c"', { roots: [] });
    },
  });
  const talk = streaming(subject);
  const called = upstreams.send('subject', toCall('tool'), exchange);
  const { turn, stream } = await talk;
  const isAnswered = new Promise<void>((resolve) => (answered = resolve));
  stream.event(QUESTION);
  await isAnswered;
  stream.event(answerTo(turn));
  stream.end();
  await called;
}

describe('what a client says without being asked', () => {
  it('reaches the server before the answer that follows it, however long it takes to be taken', async () => {
    subject.on('notification', ({ message, send }) => {
      // Until the reply has left the server has not dealt with it.
      setTimeout(() => {
        if (message.method === 'notifications/progress') seen.push(`progress ${message.params?.['progress']}`);
        send(202, {}, '');
      }, 50);
    });
    await tellAndAnswer();
    expect(seen).toEqual(['progress 1', 'progress 2', 'answer']);
  });

  it('holds up no answer at a server that replies to no notification', async () => {
    subject.on('notification', ({ message, send }) => {
      if (message.method === 'notifications/initialized') send(202, {}, '');
    });
    await tellAndAnswer();
    await tellAndAnswer();
  });
});
