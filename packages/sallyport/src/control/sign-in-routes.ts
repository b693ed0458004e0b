import { toBy } from './people.ts';
import type { ControlPorts } from './ports.ts';
import { objectOf, type Route } from './route.ts';

const KINDS = {
  begun: 'sign_in_begun',
  done: 'sign_in_done',
  failed: 'sign_in_failed',
  ended: 'sign_out',
} as const;

/**
 * Signing in to a server happens where the person's browser is, by `sallyport login`; that it happens stands in the
 * record before any token is kept.
 */
export function signInRoutes({ note }: ControlPorts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/servers/{name}/sign-ins',
      id: 'noteSignIn',
      summary: 'Records that somebody signs in to a server, or out of it',
      role: 'admin',
      body: {
        type: 'object',
        additionalProperties: false,
        required: ['event', 'owner'],
        properties: {
          event: { enum: Object.keys(KINDS) },
          owner: { type: 'string', maxLength: 512, description: 'Whose tokens: shared, local, or the id of a caller.' },
        },
      },
      result: objectOf({ recorded: { const: true } }),
      problems: [503],
      handle: async ({ path, body, principal }) => {
        // As the schema says: the API checked.
        const { event, owner } = body as unknown as { readonly event: keyof typeof KINDS; readonly owner: string };
        await note(KINDS[event], { ...toBy(principal), upstream: (path.get('name') ?? '').slice(0, 256), owner });
        return { recorded: true };
      },
    },
  ];
}
