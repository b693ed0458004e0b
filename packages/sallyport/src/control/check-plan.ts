import type { ListKind, View } from '../catalog/contract.ts';
import { listGroups } from '../config/allowed.ts';
import { nearestName } from '../config/nearest-name.ts';
import { policiesOf } from '../config/policy-section.ts';
import type { Snapshot } from '../config/settings.ts';
import { isPerPrincipal } from '../config/upstream-auth.ts';
import type { Endpoint } from '../core/endpoint.ts';
import { isObject, member } from '../core/json.ts';
import { type Plan, toEndpointText } from '../guard/plan/plan.ts';
import type { ControlPorts } from './ports.ts';
import { wrong } from './problem.ts';

/** Steps named in one answer. */
const MAX_NAMED = 5;

type Step = Plan['steps'][number];

/**
 * A plan that names what is not there holds its run to nothing that works, and whoever wrote it is the one to hear so.
 * @returns what may be a mistake, for people: not all servers have said what they offer
 * @throws FaultError `usage` for what cannot work, with the step.
 */
export async function checkPlan(
  { catalog, snapshot, viewer }: Pick<ControlPorts, 'catalog' | 'snapshot' | 'viewer'>,
  endpoint: Endpoint,
  { steps }: Plan,
): Promise<readonly string[]> {
  const now = snapshot();
  checkEndpoint(now, endpoint);
  // Whoever the run belongs to may be in any group: what somebody sees is there.
  const { principal } = viewer;
  const groups = [...principal.groups, ...listGroups(now)];
  const view = await catalog.view(now, endpoint, { ...viewer, principal: { ...principal, groups } });
  const unknown = steps
    .map((step, at) => ({ step, at: at + 1 }))
    .filter(({ step }) => !isKnown(view, step))
    .slice(0, MAX_NAMED);
  if (unknown.length === 0) return [];
  const why = whyUnsure(now, view);
  const door = toEndpointText(endpoint);
  const sure = unknown.filter(({ step }) => why === undefined && isTold(now, step));
  if (sure.length > 0)
    wrong(sure.map(({ step, at }) => `${describe(step, at, door)}${suggest(view, step)} Correct the plan.`).join(' '));
  return unknown.map(({ step, at }) => `${describe(step, at, door)} ${why ?? 'A policy may hide it from operators.'}`);
}

function checkEndpoint({ servers, bundles }: Snapshot, endpoint: Endpoint): void {
  if (endpoint.kind === 'all') return;
  const { kind, name } = endpoint;
  const names = [...(kind === 'server' ? servers : (bundles ?? new Map<string, unknown>())).keys()];
  if (names.includes(name)) return;
  const near = nearestName(name, names);
  wrong(
    `The endpoint ${JSON.stringify(toEndpointText(endpoint))} is not there: the configuration has no ${kind} of this name.${near === undefined ? '' : ` Did you mean "${kind}/${near}"?`}`,
  );
}

function isKnown(view: View, { kind, name }: Step): boolean {
  if (kind === 'tool') return (view.tool(name) ?? view.hiddenTool(name)) !== undefined;
  if (kind === 'prompt') return view.prompt(name) !== undefined || view.whyHeld('prompts', name) !== undefined;
  return view.resource(name).length > 0 || view.whyHeld('resources', name) !== undefined;
}

/** Why what is not in the view may be there all the same; `undefined`: it is not. */
function whyUnsure({ servers }: Snapshot, view: View): string | undefined {
  const [missing] = view.unavailable;
  if (missing !== undefined) return `Not all is known of "${missing.upstream}": it may be there later.`;
  const own = view.upstreams().find((name) => isPerPrincipal(servers.get(name)?.auth));
  return own === undefined ? undefined : `"${own}" may offer others than operators something else.`;
}

/** Of tools that policies hide the view tells that they are there, of prompts and resources it does not. */
function isTold(snapshot: Snapshot, { kind }: Step): boolean {
  return kind === 'tool' || policiesOf(snapshot) === undefined;
}

function describe({ kind, name }: Step, at: number, door: string): string {
  return `Step ${at} of the plan names the ${kind} ${JSON.stringify(name.slice(0, 128))}, which no server offers at the endpoint "${door}".`;
}

function suggest(view: View, { kind, name }: Step): string {
  if (kind === 'resource') return '';
  const near = nearestName(name, namesIn(view, kind === 'tool' ? 'tools' : 'prompts'));
  return near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`;
}

function namesIn(view: View, kind: ListKind): readonly string[] {
  const names: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = view.list(kind, cursor);
    const items = JSON.parse(page.items) as unknown;
    if (Array.isArray(items)) names.push(...items.filter(isObject).map((item) => String(member(item, 'name'))));
    if (page.nextCursor === undefined) return names;
    cursor = page.nextCursor;
  }
}
