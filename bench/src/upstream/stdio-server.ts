/** A process: the upstream over stdio, one JSON message per line. */
import { acknowledge, answer, type Incoming } from './answers.ts';

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text: string) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop() ?? '';
  let out = '';
  for (const line of lines) {
    if (line.length === 0) continue;
    const message = JSON.parse(line) as Incoming;
    const reply = message.method === 'subscriptions/listen' ? acknowledge(message) : answer(message);
    if (reply !== undefined) out += `${reply}\n`;
  }
  if (out !== '') process.stdout.write(out);
});
process.stdin.on('end', () => process.exit(0));
