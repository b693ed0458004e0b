import type { ControlPorts } from './ports.ts';
import type { Route } from './route.ts';

/** What changes, as it happens: lists and connections. Events of approvals, audit and drift have streams of their own. */
export function eventRoutes({ catalog, upstreams }: ControlPorts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/events',
      id: 'followEvents',
      summary: 'Changes of lists and connections',
      role: 'viewer',
      handle: () => ({
        follow(emit) {
          const stopLists = catalog.onChange(({ upstream, list, isSame }) => {
            if (isSame !== true) emit('list_changed', { upstream, list });
          });
          const stopUpstreams = upstreams.onEvent((event) => {
            if (event.kind === 'connected') emit('connected', { upstream: event.upstream });
          });
          return () => {
            stopLists();
            stopUpstreams();
          };
        },
      }),
    },
  ];
}
