import { z } from 'zod';

const groups = (role: string) => z.array(z.string().min(1)).default([role]);

/** `control` as people write it. */
export const controlSchema = z.strictObject({
  roles: z
    .strictObject({
      viewer: groups('viewer').describe('Groups that may see everything but secrets. Default: the group viewer.'),
      operator: groups('operator').describe(
        'Groups that may also run things: restart servers, decide about definitions, answer approvals. Default: the group operator.',
      ),
      admin: groups('admin').describe(
        'Groups that may also decide who may do what: make and revoke keys. Default: the group admin.',
      ),
    })
    .prefault({})
    .describe(
      'Who has which role in the REST API: role -> groups of callers. Somebody in several has the highest. A credential limited by scopes needs the scope control:viewer, control:operator or control:admin as well. Whoever may open the state directory is an admin on the command line whatever stands here.',
    ),
});

export type ControlSettings = z.output<typeof controlSchema>;

/** Groups have the roles they are named after. */
export const DEFAULT_CONTROL: ControlSettings = controlSchema.parse({});
