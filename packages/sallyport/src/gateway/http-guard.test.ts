import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { GatewaySettings } from '../config/settings.ts';
import { FaultError } from '../core/errors.ts';
import { checkHeadersOnce, checkHttpRequest } from './http-guard.ts';

const settings = {
  host: '127.0.0.1',
  port: 7411,
  allowedHosts: ['gate.example'],
  allowedOrigins: ['https://app.example'],
} as unknown as GatewaySettings;

function request(rawHeaders: string[], url = '/mcp'): IncomingMessage {
  const headers: Record<string, string> = {};
  for (let i = 0; i < rawHeaders.length; i += 2) headers[rawHeaders[i]!.toLowerCase()] ??= rawHeaders[i + 1]!;
  return { rawHeaders, headers, url } as unknown as IncomingMessage;
}

function codeOf(rawHeaders: string[], url?: string): string {
  try {
    checkHeadersOnce(rawHeaders);
    checkHttpRequest(request(rawHeaders, url), settings);
    return 'passes';
  } catch (error) {
    return error instanceof FaultError ? error.code : 'threw';
  }
}

const HOST = ['Host', '127.0.0.1:7411'];

describe('harmless requests pass', () => {
  const rows: [string, string[], string?][] = [
    ['loopback address', HOST],
    ['localhost on another port', ['Host', 'localhost:1']],
    ['IPv6 loopback', ['Host', '[::1]:7411']],
    ['a host the operator allowed, in capitals', ['Host', 'GATE.example']],
    ['a loopback origin', [...HOST, 'Origin', 'http://localhost:5173']],
    ['an origin the operator allowed', [...HOST, 'Origin', 'https://app.example']],
    ['an absolute target of the same host', HOST, 'http://127.0.0.1:7411/mcp'],
    ['headers that may repeat', [...HOST, 'Accept', 'a', 'Accept', 'b', 'X-Mine', '1', 'X-Mine', '2']],
  ];
  test.each(rows)('%s', (_name, headers, url) => expect(codeOf(headers, url)).toBe('passes'));
});

describe('attacks are refused', () => {
  const rows: [string, string[], string, string?][] = [
    ['no host', ['Accept', 'x'], 'forbidden'],
    ['DNS rebinding', ['Host', 'evil.example'], 'forbidden'],
    ['a host that only starts like ours', ['Host', '127.0.0.1.evil.example'], 'forbidden'],
    ['user info tricks', ['Host', '127.0.0.1:80@evil.example'], 'forbidden'],
    ['port tricks', ['Host', '127.0.0.1:7411:80'], 'forbidden'],
    ['an empty host', ['Host', ''], 'forbidden'],
    ['origin null', [...HOST, 'Origin', 'null'], 'forbidden'],
    ['another site', [...HOST, 'Origin', 'https://evil.example'], 'forbidden'],
    ['an origin that only starts like ours', [...HOST, 'Origin', 'http://localhost.evil.example'], 'forbidden'],
    ['an allowed origin with a path', [...HOST, 'Origin', 'https://app.example/x'], 'forbidden'],
    ['host twice', [...HOST, 'hoST', '127.0.0.1:7411'], 'invalid_request'],
    ['Mcp-Method twice', [...HOST, 'Mcp-Method', 'tools/list', 'mcp-method', 'tools/call'], 'invalid_request'],
    ['Mcp-Session-Id twice', [...HOST, 'Mcp-Session-Id', 'a', 'Mcp-Session-Id', 'b'], 'invalid_request'],
    ['Authorization twice', [...HOST, 'Authorization', 'Bearer a', 'Authorization', 'Bearer b'], 'invalid_request'],
    [
      'one of a hundred Mcp-Param headers twice',
      [...HOST, ...Array.from({ length: 100 }, (_, i) => [`Mcp-Param-${i}`, 'x']).flat(), 'mcp-param-99', 'y'],
      'invalid_request',
    ],
    ['an absolute target of another host', HOST, 'invalid_request', 'http://evil.example/mcp'],
    ['a target with another port', HOST, 'invalid_request', 'http://127.0.0.1:1/mcp'],
    ['a target that is no path', HOST, 'invalid_request', '*'],
  ];
  test.each(rows)('%s', (_name, headers, code, url) => expect(codeOf(headers, url)).toBe(code));
});

test('a host that the operator took away is refused at once, and the others go on', () => {
  const ask = (host: string, now: GatewaySettings) => checkHttpRequest(request(['Host', host]), now);
  const fewer: GatewaySettings = { ...settings, allowedHosts: [] };
  ask('gate.example', settings);
  expect(() => ask('gate.example', fewer)).toThrow(expect.objectContaining({ code: 'forbidden' }));
  ask('127.0.0.1:7411', settings);
  expect(() => ask('127.0.0.1:7411', fewer)).not.toThrow();
});
