import { readDecidedCall } from '../control/decision-record.ts';
import { systemClock } from '../core/clock.ts';
import { type Json, type JsonObject, member } from '../core/json.ts';
import { PolicyEngine } from '../guard/policy/policy-engine.ts';
import { withApi } from './api.ts';
import type { Command } from './command.ts';
import { openPolicies, POLICY_FLAGS } from './open-policies.ts';
import { toTable } from './to-table.ts';

export const policyShadow: Command = {
  name: 'policy shadow',
  summary: 'tell what policies would have decided about the recent calls of the running Sallyport',
  words: [['[files...]', 'Cedar files to try; left out: the policies of the configuration']],
  options: POLICY_FLAGS,
  example: 'sallyport policy shadow --set team stricter.cedar',
  async run(input) {
    const { cedar, compiled } = await openPolicies(input, input.words);
    const engine = new PolicyEngine(cedar, compiled, { clock: systemClock });
    const { items } = await withApi(input, (api) => api.call('listDecisions', {}));
    const calls = (items as readonly Json[]).flatMap((record) => {
      if (member(record, 'action') !== 'call') return [];
      const row = replay(engine, record);
      return row === undefined ? [] : [row];
    });
    const changed = calls.filter((call) => call['would'] !== call['did']);
    const keys = ['callId', 'principal', 'tool', 'did', 'would', 'why'];
    return {
      value: { version: compiled.version, calls: calls.length, changed },
      text:
        changed.length === 0
          ? ''
          : toTable(
              keys,
              changed.map((call) => keys.map((key) => String(call[key] ?? ''))),
              input.terminal.stdout.columns ?? 0,
            ),
      remarks: [
        `${changed.length} of ${calls.length} recent calls would have gone otherwise or depend on their arguments, which are not kept.`,
      ],
    };
  },
};

function replay(engine: PolicyEngine, record: Json): JsonObject | undefined {
  const call = readDecidedCall(record);
  if (call === undefined) return undefined;
  const visible = engine.maySee(call.client.principal, call.tool);
  const decision = engine.decideStanding(call);
  const did = member(record, 'enforced') === false ? 'allow' : String(member(record, 'effect'));
  return {
    callId: member(record, 'callId') ?? null,
    principal: call.client.principal.id,
    tool: `${call.tool.upstream}/${call.tool.name}`,
    did,
    would: visible ? (decision?.effect ?? 'depends') : 'deny',
    why: decision?.reason ?? '',
    policies: decision?.policies ?? [],
  };
}
