import { toItemName } from '../catalog/pins/pin.ts';
import type { Finding } from '../core/finding.ts';
import type { JsonObject } from '../core/json.ts';
import { describeFinding, FINDING_PROPERTIES } from './finding-view.ts';
import { foundOf, type KnownPin, keyOf, readPins, selectPins } from './known-pins.ts';
import { describePage, pageOfItems } from './page.ts';
import type { ControlPorts } from './ports.ts';
import { wrong } from './problem.ts';
import { objectOf, PAGE_PARAMETERS, pageOf, type Route, type Schema, TEXT } from './route.ts';

const TIERS = ['block', 'review'];

const FOUND_FINDING: Schema = objectOf({
  server: TEXT,
  item: {
    type: 'string',
    description: 'tools/search, prompts/…, resources/…, resourceTemplates/…, instructions or serverInfo.',
  },
  state: { enum: ['approved', 'new', 'changed', 'rejected', 'unlisted'] },
  digest: { type: 'string', description: 'Of the definition it stands in.' },
  ...FINDING_PROPERTIES,
});

/** What reading the definitions of servers found. */
export function findingRoutes(ports: ControlPorts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/findings',
      id: 'listFindings',
      summary: 'What was found in the definitions that servers offer: poisoned, hidden, written about tools of others',
      role: 'viewer',
      query: [
        ...PAGE_PARAMETERS,
        { name: 'server', description: 'Only of this server.', schema: TEXT },
        { name: 'item', description: 'Only of this item: search, tools/search or instructions.', schema: TEXT },
        { name: 'tier', description: 'Only of this tier.', schema: { enum: TIERS } },
        { name: 'rule', description: 'Only of the rule of this id.', schema: TEXT },
        {
          name: 'state',
          description: 'held: only in what may not be used; approved: only in what may.',
          schema: { enum: ['held', 'approved'] },
        },
      ],
      result: pageOf(FOUND_FINDING),
      problems: [404],
      handle: async ({ query }) => {
        const { known } = await readPins(ports);
        const isBare = known.length === 0 && !query.has('server');
        const chosen = isBare ? [] : selectPins(known, query.get('server'), query.get('item'));
        const isWanted = toFilter(query);
        const rows = new Map(chosen.flatMap((one) => rowsOf(one, isWanted)));
        const page = pageOfItems([...rows], query, ([key]) => key);
        return describePage(page, ([, row]) => row);
      },
    },
  ];
}

type IsWanted = (one: KnownPin, finding: Finding) => boolean;

function toFilter(query: URLSearchParams): IsWanted {
  const [tier, rule, state] = ['tier', 'rule', 'state'].map((name) => query.get(name));
  if (typeof tier === 'string' && !TIERS.includes(tier)) wrong(`tier is ${TIERS.join(' or ')}.`);
  if (typeof state === 'string' && state !== 'held' && state !== 'approved') wrong('state is held or approved.');
  return (one, finding) =>
    (typeof tier !== 'string' || finding.tier === tier) &&
    (typeof rule !== 'string' || finding.id === rule) &&
    (typeof state !== 'string' || (one.state === 'approved') === (state === 'approved'));
}

/** Each under a key of its own: findings keep their order within an item. */
function rowsOf(one: KnownPin, isWanted: IsWanted): [string, JsonObject][] {
  const found = foundOf(one.pin);
  if (found === undefined) return [];
  const { server, kind, name } = one.pin;
  const about = { server, item: toItemName(kind, name), state: one.state, digest: found.digest };
  return found.findings.flatMap((finding, i): [string, JsonObject][] =>
    isWanted(one, finding)
      ? [[`${keyOf(one)}\n${String(i).padStart(6, '0')}`, { ...about, ...describeFinding(finding) }]]
      : [],
  );
}
