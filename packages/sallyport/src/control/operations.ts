// Made of the OpenAPI document by `node scripts/api-types.mjs`: change the routes, not this file.

/** What every operation of the API takes and gives. */
export interface Operations {
  /**
   * The servers of the configuration, with their state
   */
  listServers: {
    input: {
      query?: {
        limit?: number;
        cursor?: string;
      };
    };
    result: {
      items: {
        name: string;
        transport: 'stdio' | 'http' | 'sse';
        state: 'idle' | 'connecting' | 'ready' | 'broken' | 'unauthenticated' | 'stopped';
        era?: string | null;
        revision: string | null;
        connections: number;
        inFlight: number;
        lastError: string | null;
        /**
         * The last lines a child wrote to stderr.
         */
        stderr?: string[];
      }[];
      next?: string;
    };
  };
  /**
   * One server
   */
  showServer: {
    input: {
      path: {
        name: string;
      };
    };
    result: {
      name: string;
      transport: 'stdio' | 'http' | 'sse';
      state: 'idle' | 'connecting' | 'ready' | 'broken' | 'unauthenticated' | 'stopped';
      era?: string | null;
      revision: string | null;
      connections: number;
      inFlight: number;
      lastError: string | null;
      /**
       * The last lines a child wrote to stderr.
       */
      stderr?: string[];
    };
  };
  /**
   * Ends the connections of a server and its child; the next call starts it again, whatever it did before
   */
  restartServer: {
    input: {
      path: {
        name: string;
      };
    };
    result: {
      name: string;
      transport: 'stdio' | 'http' | 'sse';
      state: 'idle' | 'connecting' | 'ready' | 'broken' | 'unauthenticated' | 'stopped';
      era?: string | null;
      revision: string | null;
      connections: number;
      inFlight: number;
      lastError: string | null;
      /**
       * The last lines a child wrote to stderr.
       */
      stderr?: string[];
    };
  };
  /**
   * The tools of all servers, by name
   */
  listTools: {
    input: {
      query?: {
        limit?: number;
        cursor?: string;
        contains?: string;
      };
    };
    result: {
      /**
       * Items: The definition as clients see it.
       */
      items: {
        /**
         * As clients of the shared endpoint call it.
         */
        name: string;
        [k: string]: unknown;
      }[];
      next?: string;
    };
  };
  /**
   * What was left out of the lists, and why
   */
  listProblems: {
    input: Record<never, never>;
    result: {
      items: {
        upstream: string;
        item: string;
        problem: string;
      }[];
      next?: string;
    };
  };
  /**
   * What the policies decided about the last 1,000 calls, the newest first
   */
  listDecisions: {
    input: {
      query?: {
        callId?: string;
      };
    };
    result: {
      /**
       * Items: What the policies decided about one call, without its arguments.
       */
      items: {
        [k: string]: unknown;
      }[];
    };
  };
  /**
   * Changes of lists and connections
   */
  followEvents: {
    input: Record<never, never>;
  };
}

/** Operations that answer once. */
export type OperationId =
  | 'listServers'
  | 'showServer'
  | 'restartServer'
  | 'listTools'
  | 'listProblems'
  | 'listDecisions';

/** Operations that answer with events until the client goes. */
export type StreamId = 'followEvents';

export const OPERATIONS: Readonly<Record<OperationId | StreamId, { readonly method: string; readonly path: string }>> =
  {
    listServers: { method: 'GET', path: '/servers' },
    showServer: { method: 'GET', path: '/servers/{name}' },
    restartServer: { method: 'POST', path: '/servers/{name}/restart' },
    listTools: { method: 'GET', path: '/tools' },
    listProblems: { method: 'GET', path: '/problems' },
    listDecisions: { method: 'GET', path: '/policies/decisions' },
    followEvents: { method: 'GET', path: '/events' },
  };
