import { type Era, type Fields, isFields, type Message, type Request, toFields } from './messages.ts';

/** Where the answer to one request goes, together with everything said on the way to it. */
export interface Reply {
  /** Aborted when the requester has cancelled: nothing more may be sent. */
  readonly signal: AbortSignal;
  /** A notification or server request that belongs to this request. */
  send(message: Message): void;
  /** The response, exactly once. `status` matters on modern HTTP only. */
  end(message: Message, status?: number): void;
  /** Drops the connection but keeps the stream, so that the client must come back for the rest. */
  detach?(): void;
}

/** One thing the server wants from the person or model behind the client. */
export interface InputRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params?: Fields;
}

export type Ask = (requests: Record<string, InputRequest>) => Promise<Record<string, Fields>>;

/** What a tool, prompt or resource sees of the request it serves; the same in both eras. */
export interface Call {
  readonly era: Era;
  readonly revision: string;
  readonly params: Fields;
  readonly meta: Fields;
  readonly capabilities: Fields;
  readonly signal: AbortSignal;
  /** Resolves with the client's answers by key. In the modern era it throws until the client has retried with them. */
  readonly ask: Ask;
  notify(method: string, params: Fields): void;
  progress(progress: number, total: number, message?: string): void;
  log(level: LogLevel, data: unknown, logger?: string): void;
  detach(): void;
}

export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type LogLevel = (typeof logLevels)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return logLevels.some((level) => level === value);
}

export interface CallSetting {
  readonly era: Era;
  readonly revision: string;
  readonly capabilities: Fields;
  readonly ask: Ask;
  /** Lowest level that is sent; undefined sends nothing. */
  readonly logLevel: () => LogLevel | undefined;
}

export function createCall(request: Request, reply: Reply, setting: CallSetting): Call {
  const params = toFields(request.params);
  const meta = toFields(params._meta);
  const notify = (method: string, fields: Fields): void => {
    if (!reply.signal.aborted) reply.send({ jsonrpc: '2.0', method, params: fields });
  };
  return {
    era: setting.era,
    revision: setting.revision,
    capabilities: setting.capabilities,
    ask: setting.ask,
    params,
    meta,
    signal: reply.signal,
    notify,
    progress(progress, total, message) {
      const progressToken = meta.progressToken;
      if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return;
      notify('notifications/progress', {
        progressToken,
        progress,
        total,
        ...(message === undefined ? {} : { message }),
      });
    },
    log(level, data, logger) {
      const least = setting.logLevel();
      if (least === undefined || logLevels.indexOf(level) < logLevels.indexOf(least)) return;
      notify('notifications/message', { level, data, ...(logger === undefined ? {} : { logger }) });
    },
    detach() {
      reply.detach?.();
    },
  };
}

const capabilityOf: Record<InputRequest['method'], 'elicitation' | 'sampling' | 'roots'> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

/** The capabilities that these requests need and the client has not declared, in the shape of ClientCapabilities. */
export function findMissingCapabilities(capabilities: Fields, requests: readonly InputRequest[]): Fields | undefined {
  const missing: Fields = {};
  for (const request of requests) {
    const name = capabilityOf[request.method];
    const declared = Object.hasOwn(capabilities, name) ? capabilities[name] : undefined;
    if (!isFields(declared)) missing[name] = {};
    else if (request.params?.mode === 'url' && !isFields(declared.url)) missing[name] = { url: {} };
  }
  return Object.keys(missing).length === 0 ? undefined : missing;
}

/** Resolves after `ms`; rejects at once when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
