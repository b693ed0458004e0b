import type { FaultError } from '../core/errors.ts';
import { type Message, Request } from '../core/message.ts';
import { toText } from '../core/response.ts';
import type { HttpReply, Reply } from './reply.ts';
import { toErrorText } from './to-response.ts';

/**
 * Answers a JSON-RPC batch (2025-03-26): one array when all answers are there, or an event stream with one answer each
 * as soon as something has to be said before.
 */
export function answerBatch(
  messages: readonly (Message | FaultError)[],
  reply: Reply & Partial<Pick<HttpReply, 'streaming'>>,
  receive: (message: Message, reply: Reply) => void,
): boolean {
  const answers: string[] = [];
  let open = messages.filter((message) => message instanceof Request || message instanceof Error).length;
  if (open === 0) {
    for (const message of messages) if (!(message instanceof Error)) receive(message, reply);
    return false;
  }
  const finish = () => {
    if (--open > 0) return;
    reply.answer(`[${answers.join(',')}]`, 200);
  };
  const part: Reply = {
    message: (text) => reply.message(text),
    answer: (written) => {
      answers.push(toText(written));
      finish();
    },
  };
  for (const message of messages) {
    if (message instanceof Error) part.answer(toErrorText(undefined, message), 200);
    else receive(message, message instanceof Request ? { ...part } : part);
  }
  return true;
}
