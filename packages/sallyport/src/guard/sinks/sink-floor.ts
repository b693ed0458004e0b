import type { FloorAction, SinkSettings } from '../../config/access-settings.ts';
import { names } from '../../config/allowed.ts';
import { type Envelope, type FrozenSnapshot, toolOf } from '../../core/envelope.ts';
import { SINK_CLASSES, type SinkClass } from '../../core/sink.ts';
import { ALLOW } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';
import { readArguments } from './classify-arguments.ts';
import { isDraft, readDefinition } from './classify-definition.ts';

/** What a person reads about an effect. */
const EFFECTS: ReadonlyMap<SinkClass, string> = new Map([
  ['delete', 'deletes something'],
  ['pay', 'moves money'],
  ['send_out', 'sends something out'],
  ['run_code', 'runs code'],
  ['change_rights', 'changes who may do what'],
  ['credentials', 'touches credentials'],
  ['write_public', 'makes something public'],
]);

/** Every effect of a call: of its tool, and of its arguments unless the operator said what the tool does. */
export function findSinks(envelope: Envelope, settings: SinkSettings | undefined): readonly SinkClass[] {
  const { tool, body } = envelope;
  if (tool === undefined) return NO_SINKS;
  const said = settings?.overrides.some((one) => names(one, { server: tool.upstream, item: tool.name })) === true;
  if (said) return tool.sinks;
  const { reads } = readDefinition(tool.definition);
  const found = readArguments(body, reads);
  if (found.size === 0) return tool.sinks;
  const isShown = (sink: SinkClass) => found.has(sink) && !(sink === 'send_out' && isDraft(tool.definition));
  return SINK_CLASSES.filter((sink) => tool.sinks.includes(sink) || isShown(sink));
}

const NO_SINKS: readonly SinkClass[] = Object.freeze([]);

/** The floor: an effect asks for a person, or is refused, whichever tool causes it (requirement G8). */
export function sinkFloor(settings: (snapshot: FrozenSnapshot) => SinkSettings | undefined): Guard {
  return {
    name: 'sink-floor',
    kinds: ['call'],
    isOn: (snapshot) => (settings(snapshot)?.floor.size ?? 0) > 0,
    judge(call) {
      const sinks = settings(call.snapshot);
      if (sinks === undefined) return ALLOW;
      const found = findSinks(call, sinks);
      if (found.length === 0) return ALLOW;
      const under = (action: FloorAction) => found.filter((sink) => sinks.floor.get(sink) === action);
      const denied = under('deny');
      const name = toolOf(call).publicName.slice(0, 128);
      if (denied.length > 0)
        return {
          kind: 'deny',
          code: 'denied',
          reason: `The call of "${name}" ${say(denied)}, which is not allowed here by any tool.`,
        };
      const asked = under('ask');
      if (asked.length === 0) return ALLOW;
      return { kind: 'ask', classes: asked, reason: `The call of "${name}" ${say(asked)}: a person has to agree.` };
    },
  };
}

function say(sinks: readonly SinkClass[]): string {
  return sinks.map((sink) => EFFECTS.get(sink) ?? sink).join(' and ');
}
