import { pause } from '../call.ts';
import { codes, RpcError, readNumber, readText } from '../messages.ts';
import { elicitForm, elicitText, textOf, toText } from '../samples.ts';
import { defineTool, type Tool } from './tool.ts';

const text = { type: 'string' };
const confirmFields = { confirm: { type: 'boolean' } };

/** The tools of the ten Tasks scenarios. */
export const taskTools: readonly Tool[] = [
  defineTool('greet', (args) => toText(`Hello, ${readText(args, 'name')}!`), {
    properties: { name: text },
    required: ['name'],
  }),
  defineTool(
    'slow_compute',
    async (args, call) => {
      await pause(readNumber(args, 'seconds', 1) * 1_000, call.signal);
      return toText(`computed ${typeof args.label === 'string' ? args.label : ''}`);
    },
    { properties: { seconds: { type: 'number' }, label: text }, task: 'optional' },
  ),
  defineTool(
    'failing_job',
    async (_args, call) => {
      await pause(300, call.signal);
      throw new Error('the job failed');
    },
    { task: 'required' },
  ),
  defineTool(
    'protocol_error_job',
    async (_args, call) => {
      await pause(100, call.signal);
      throw new RpcError(codes.internal, 'the job broke the protocol', { data: { job: 'protocol_error_job' } });
    },
    { task: 'required' },
  ),
  defineTool(
    'confirm_delete',
    async (args, call) => {
      const { confirm } = await call.ask({
        confirm: elicitForm(`Delete ${readText(args, 'filename')}?`, confirmFields),
      });
      return toText(`${confirm?.action === 'accept' ? 'deleted' : 'kept'} ${readText(args, 'filename')}`);
    },
    { properties: { filename: text }, required: ['filename'], task: 'optional' },
  ),
  defineTool(
    'multi_input',
    async (_args, call) => {
      const { name, confirm } = await call.ask({
        name: elicitText('Name?', 'name'),
        confirm: elicitForm('Sure?', confirmFields),
      });
      return toText(`${textOf(name, 'name')}: ${String(confirm?.action)}`);
    },
    { task: 'optional' },
  ),
  defineTool('test_tool_with_task', (args) => toText(`Task finished for ${readText(args, 'user_name')}`), {
    task: 'required',
    async prepare(_args, call) {
      const { user_name } = await call.ask({ user_name: elicitText('What is your name?', 'name') });
      return { user_name: textOf(user_name, 'name') };
    },
  }),
];
