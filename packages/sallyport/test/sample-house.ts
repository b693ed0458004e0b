import { TaskOwners } from '../src/call/task-owners.ts';
import type { ListChange, View } from '../src/catalog/contract.ts';
import type { ServerAccess } from '../src/config/access-settings.ts';
import { silentLog } from '../src/core/log.ts';
import { Answer } from '../src/core/message.ts';
import { ANYONE, type Principal } from '../src/core/principal.ts';
import type { UpstreamEvent } from '../src/core/upstream-port.ts';
import type { GatewayPorts } from '../src/gateway/ports.ts';
import { SessionStore } from '../src/gateway/session-store.ts';
import { openRelay } from './sample-relay.ts';

export const ALICE: Principal = { ...ANYONE, id: 'key:alice', groups: ['dev'] };
export const BOB: Principal = { ...ANYONE, id: 'key:bob', groups: ['dev'] };

/** A house with one server `s`, whose tasks and resources can be followed. */
export function openHouse() {
  const world = { current: true, groups: undefined as readonly string[] | undefined };
  let tell: (event: UpstreamEvent) => void = () => {};
  const taskOwners = new TaskOwners();
  const view = {
    isIntroduced: true,
    unavailable: [],
    capabilities: { tools: {} },
    resource: (uri: string) => [{ upstream: 's', uri }],
    task: (taskId: string) => ({ upstream: 's', taskId }),
  } as unknown as View;
  let change: (change: ListChange) => void = () => {};
  // All that following uses.
  const ports = {
    ...openRelay([]).ports,
    upstreams: {
      onEvent: (listener: typeof tell) => {
        tell = listener;
        return () => {};
      },
      subscribe: async () => Answer.result('1', {}),
      unsubscribe: async () => Answer.result('1', {}),
      release() {},
    },
    catalog: {
      onChange: (listener: typeof change) => {
        change = listener;
        return () => {};
      },
      view: () => view,
      forget() {},
    },
    tasks: { followTask: async () => true, unfollowTask() {} },
    taskOwners,
    clock: { now: () => 0 },
    log: silentLog,
    snapshot: () => ({
      gateway: { limits: { sessions: 2 } },
      servers: new Map([['s', { access: { groups: world.groups } as ServerAccess }]]),
    }),
  } as unknown as GatewayPorts;
  const sessions = new SessionStore({
    ...ports,
    now: () => 0,
    idleMs: () => 1_000,
    isCurrent: () => world.current,
  });
  return {
    world,
    ports,
    sessions,
    taskOwners,
    tell: (event: UpstreamEvent) => tell(event),
    change: (one: ListChange) => change(one),
  };
}
