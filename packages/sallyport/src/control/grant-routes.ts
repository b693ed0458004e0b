import { FaultError } from '../core/errors.ts';
import { createGrantStore } from '../storage/grants.ts';
import { GRANT } from './approval-schemas.ts';
import { toGrantView } from './approval-view.ts';
import { describePage, pageOfItems } from './page.ts';
import { readPeople, toBy } from './people.ts';
import type { ControlPorts } from './ports.ts';
import { recorded } from './recorded.ts';
import { objectOf, PAGE_PARAMETERS, pageOf, type Route } from './route.ts';

/** What people allowed and is still worth something. */
export function grantRoutes(ports: ControlPorts): readonly Route[] {
  const { clock, database, texts, note } = ports;
  const open = async () => createGrantStore(await database(), clock, await texts());
  return [
    {
      method: 'GET',
      path: '/grants',
      id: 'listGrants',
      summary: 'What was allowed and is still worth something; patterns and changed arguments for operators only',
      role: 'viewer',
      query: PAGE_PARAMETERS,
      result: pageOf(GRANT),
      handle: async ({ query, role }) => {
        const grants = [...(await (await open()).list())].sort((a, b) => (a.id < b.id ? -1 : 1));
        const personOf = await readPeople(ports);
        return describePage(
          pageOfItems(grants, query, ({ id }) => id),
          (grant) => ({ ...toGrantView(grant, role), person: personOf(grant.principal) ?? null }),
        );
      },
    },
    {
      method: 'DELETE',
      path: '/grants/{id}',
      id: 'revokeGrant',
      summary: 'Takes back what was allowed',
      role: 'operator',
      result: objectOf({ id: { type: 'string' }, revoked: { const: true } }),
      problems: [404, 503],
      handle: async ({ path, principal }) => {
        const id = path.get('id') ?? '';
        const grants = await open();
        // Only what there is to revoke is recorded as revoked.
        if (!(await grants.list()).some((grant) => grant.id === id))
          throw new FaultError('not_found', `There is no grant ${id.slice(0, 64)}.`);
        await recorded(note, { kind: 'grant_revoke', ...toBy(principal), grant: id }, () => grants.revoke(id));
        return { id, revoked: true };
      },
    },
  ];
}
