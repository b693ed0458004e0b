import type { InputRequest } from '../call.ts';
import { findMissingCapabilities } from '../call.ts';
import { toFields } from '../messages.ts';
import { elicitForm, elicitText, sample, sampledText, textOf, toText } from '../samples.ts';
import { defineTool, type Tool } from './tool.ts';

const listRoots: InputRequest = { method: 'roots/list' };
const confirm = elicitForm('Please confirm', { ok: { type: 'boolean' } }, ['ok']);

/** The tools of the scenarios about input_required; in the legacy era the same tools send server requests. */
export const inputTools: readonly Tool[] = [
  defineTool('test_missing_capability', async (_args, call) => {
    const { answer } = await call.ask({ answer: sample('Are you there?') });
    return toText(sampledText(answer));
  }),
  defineTool('test_input_required_result_elicitation', async (_args, call) => {
    const { user_name } = await call.ask({ user_name: elicitText('What is your name?', 'name') });
    return toText(`Hello, ${textOf(user_name, 'name')}!`);
  }),
  defineTool('test_input_required_result_sampling', async (_args, call) => {
    const { capital_question } = await call.ask({ capital_question: sample('What is the capital of France?') });
    return toText(`Sampling result: ${sampledText(capital_question)}`);
  }),
  defineTool('test_input_required_result_list_roots', async (_args, call) => {
    const { client_roots } = await call.ask({ client_roots: listRoots });
    return toText(`Roots: ${JSON.stringify(client_roots?.roots ?? [])}`);
  }),
  defineTool('test_input_required_result_request_state', async (_args, call) => {
    await call.ask({ confirm });
    return toText('state-ok');
  }),
  defineTool('test_input_required_result_multiple_inputs', async (_args, call) => {
    const { user_name, greeting, client_roots } = await call.ask({
      user_name: elicitText('What is your name?', 'name'),
      greeting: sample('Generate a greeting', 50),
      client_roots: listRoots,
    });
    const roots = JSON.stringify(client_roots?.roots ?? []);
    return toText(`Name: ${textOf(user_name, 'name')}; Greeting: ${sampledText(greeting)}; Roots: ${roots}`);
  }),
  defineTool('test_input_required_result_multi_round', async (_args, call) => {
    const { step1 } = await call.ask({ step1: elicitText('Step 1: What is your name?', 'name') });
    const { step2 } = await call.ask({ step2: elicitText('Step 2: What is your favorite color?', 'color') });
    return toText(`${textOf(step1, 'name')} likes ${textOf(step2, 'color')}`);
  }),
  defineTool('test_input_required_result_tampered_state', async (_args, call) => {
    await call.ask({ confirm });
    return toText('integrity-ok');
  }),
  defineTool(
    'test_input_required_result_capabilities',
    async (_args, call) => {
      const wanted = {
        elicit_input: elicitText('Elicitation input', 'value'),
        sample_input: sample('Sample request', 50),
      };
      const possible = Object.entries(wanted).filter(
        ([, request]) => findMissingCapabilities(call.capabilities, [request]) === undefined,
      );
      const answers = await call.ask(Object.fromEntries(possible));
      return toText(`capabilities-ok: received ${Object.keys(answers).join(',')}`);
    },
    { about: 'Asks only for what the client has declared' },
  ),
  defineTool(
    'test_streaming_elicitation',
    async (_args, call) => {
      call.progress(1, 2, 'about to ask');
      const { answer } = await call.ask({ answer: elicitText('Anything?', 'value') });
      return toText(textOf(answer, 'value'));
    },
    { about: 'Reports progress, then asks' },
  ),
  defineTool('test_logging_tool', (_args, call) => {
    call.log('info', 'Diagnostic trace', 'conformance');
    return toText('Logging evaluated');
  }),
  defineTool('test_url_elicitation', async (_args, call) => {
    const elicitationId = `elicitation-${call.params.name}`;
    const { answer } = await call.ask({
      answer: {
        method: 'elicitation/create',
        params: { mode: 'url', message: 'Please sign in', url: 'https://example.com/sign-in', elicitationId },
      },
    });
    if (call.era === 'legacy') call.notify('notifications/elicitation/complete', { elicitationId });
    return toText(`action=${String(answer?.action)}`);
  }),
  defineTool(
    'count_side_effect',
    async (_args, call, world) => {
      const { confirm: answer } = await call.ask({ confirm });
      if (answer?.action !== 'accept' || toFields(answer.content).ok === false) return toText('not confirmed');
      world.counts.sideEffects += 1;
      return toText(`side effect ${world.counts.sideEffects}`);
    },
    { about: 'Asks for confirmation, then counts: a relay that repeats the call is caught by read_side_effects' },
  ),
  defineTool('read_side_effects', (_args, _call, world) => toText(String(world.counts.sideEffects))),
];
