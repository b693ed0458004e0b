import type { ListedTool } from '../../catalog/contract.ts';
import { DEFAULT_SCRIPTS, offersScripts } from '../../config/scripts-section.ts';
import type { JsonObject } from '../../core/json.ts';
import { prepareTools } from '../discovery/prepare-tools.ts';
import { toMistake, toText } from '../discovery/to-text.ts';
import type { Inbound } from '../inbound.ts';
import type { OwnAsking, OwnCall, OwnTool } from '../own-tool.ts';
import type { CallPorts } from '../ports.ts';
import { VERDICT } from '../refusal.ts';
import { judgeResult } from './judge-result.ts';
import { ScriptRun } from './script-run.ts';
import { type ShownTool, showTypes } from './show-types.ts';
import { nameTools } from './tool-names.ts';
import { writeOutcome } from './write-outcome.ts';

const NAME = 'run_script';

export const RUN_SCRIPT: OwnTool = {
  name: NAME,
  definition: {
    name: NAME,
    description:
      'Runs JavaScript that calls tools: const r = await tools.<server>.<tool>({…}). For many calls, loops and large results: only what the script gives with "return" reaches you. Get the types first.',
    inputSchema: {
      type: 'object',
      properties: {
        types: {
          type: 'array',
          items: { type: 'string' },
          description: 'Shows the types of these servers or tools ("files", "files.read"). Empty: the names of all.',
        },
        script: { type: 'string', description: 'Body of an async function.' },
        resume: { type: 'string', description: 'Id of a paused script.' },
      },
    },
  },
  readsList: true,
  isOffered,
  isListed: isOffered,
  answer,
};

/** The endpoint of one server has what that server has. */
function isOffered({ snapshot, endpoint, client }: OwnAsking): boolean {
  if (endpoint.kind === 'server') return false;
  const bundle = endpoint.kind === 'bundle' ? endpoint.name : undefined;
  return offersScripts(snapshot.scripts ?? DEFAULT_SCRIPTS, {
    ...{ client: client.info.name, bundle, principal: client.principal },
  });
}

interface Asked {
  readonly script?: string;
  readonly types?: readonly string[];
  readonly resume?: string;
}

async function answer(call: OwnCall): Promise<JsonObject> {
  const { ports, given, callId, body } = call;
  // True: the arguments match the schema above.
  const { script, types, resume } = body as unknown as Asked;
  if ([script, types, resume].filter((one) => one !== undefined).length !== 1)
    return toMistake('run_script takes one of "script", "types" and "resume".');
  if (resume !== undefined) {
    const goOn = ports.scripts.resume(resume, given);
    return goOn === undefined ? toMistake(UNKNOWN) : goOn(given);
  }
  const { view, snapshot } = given;
  await prepareTools(view);
  const tools = toShown(view.listedTools());
  const settings = snapshot.scripts ?? DEFAULT_SCRIPTS;
  if (script === undefined) return toText(showTypes(tools, types ?? [], settings.outputCharacters));
  const make = () => new ScriptRun({ ports, settings, script, tools, callId });
  return finish(ports, given, ports.scripts.begin(make, given, settings.atOnce));
}

const UNKNOWN =
  'No script is paused under this id: it has ended, it waited longer than 10 minutes, or another caller or conversation began it.';

function toShown(listed: readonly ListedTool[]): readonly ShownTool[] {
  return nameTools(listed.map(({ tool }) => tool)).map((named, at) => ({
    ...named,
    description: listed[at]?.description,
  }));
}

async function finish(ports: CallPorts, given: Inbound, script: ScriptRun): Promise<JsonObject> {
  let isPaused = false;
  try {
    const outcome = await script.run(given);
    const unavailable = given.view.unavailable.map(({ upstream }) => upstream);
    if (outcome.kind === 'paused') {
      isPaused = true;
      const said = { kind: 'ask', approvals: [...outcome.approvals] };
      const id = ports.scripts.pause(script, given, (next) => finish(ports, next, script));
      return { ...toMistake(writeOutcome(outcome, { resumeId: id, unavailable })), _meta: { [VERDICT]: said } };
    }
    // Read as no error: an error may be nobody's content, and a script can throw what it has read.
    const text = toText(writeOutcome(outcome, { unavailable }));
    const result = await judgeResult(ports, { given, callId: script.callId, called: script.called, result: text });
    return outcome.kind === 'failed' ? { ...result, isError: true } : result;
  } finally {
    if (!isPaused) await ports.scripts.end(script);
  }
}
