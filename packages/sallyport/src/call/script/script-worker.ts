import { parentPort } from 'node:worker_threads';
import { loadInterpreter, Sandbox } from './sandbox.ts';
import type { FromThread, ToThread, Turn } from './sandbox-messages.ts';

/** The thread of one script. It may be ended at any moment: whoever started it watches the clock. */
const port = parentPort;
if (port === null) throw new Error('script-worker.js is a worker');
const say = (message: FromThread) => port.postMessage(message);

const interpreter = await loadInterpreter();
let sandbox: Sandbox | undefined;

function take(message: ToThread): Turn | undefined {
  if (message.kind === 'answers') return sandbox?.answer(message.answers);
  sandbox = new Sandbox(interpreter, message);
  return sandbox.begin();
}

port.on('message', (message: ToThread) => {
  const turn = take(message);
  if (turn !== undefined) say({ kind: 'turn', turn });
});
say({ kind: 'ready' });
