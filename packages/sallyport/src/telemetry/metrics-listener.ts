import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FaultError } from '../core/errors.ts';
import { METRICS_TYPE } from './metrics-text.ts';

export interface MetricsListener {
  readonly port: number;
  close(): Promise<void>;
}

/** What a collector sends in all. Milliseconds. */
const REQUEST_MS = 5_000;
const MAX_CONNECTIONS = 16;
const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/** GET /metrics on 127.0.0.1, without a key: for a collector on this machine. @throws FaultError `config` when the port is taken. */
export function openMetricsListener(port: number, text: () => string): Promise<MetricsListener> {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    // A web page may have its own name point here (DNS rebinding): only who calls us by our address is a neighbour.
    if (!LOOPBACK.test(request.headers.host ?? '') || request.headers.origin !== undefined)
      response.writeHead(403).end();
    else if (request.url !== '/metrics') response.writeHead(404).end();
    else if (request.method !== 'GET') response.writeHead(405, { allow: 'GET' }).end();
    else response.writeHead(200, { 'content-type': METRICS_TYPE }).end(text());
  });
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const message = `Listening on 127.0.0.1:${port} for metrics failed (${error.message}). Set telemetry.metricsPort to a free port.`;
      reject(new FaultError('config', message, { cause: error }));
    });
    server.listen(port, '127.0.0.1', () =>
      resolve({
        port: (server.address() as AddressInfo).port, // A TCP listener's address is never a string or null.
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      }),
    );
  });
}
