import { expect, it } from 'vitest';
import { serverSettings } from '../../test/fake-upstreams.ts';
import type { Transport } from '../config/settings.ts';
import { choosePrefix } from './prefix.ts';

function stdio(command: string, ...args: string[]): Transport {
  return { type: 'stdio', command, args, env: {}, cwd: undefined };
}

function http(url: string): Transport {
  return { type: 'http', url, headers: {} };
}

it.each<[Transport, string]>([
  [http('https://mcp.example.com/v1/mcp'), 'mcp_example_com_v1_mcp'],
  [http('http://127.0.0.1:8080/'), '127_0_0_1_8080'],
  [stdio('npx', '-y', '@scope/weather@1.2.3', '--verbose'), 'scope_weather'],
  [stdio('/usr/bin/npx', 'weather'), 'weather'],
  [stdio('npx.cmd', 'weather@latest'), 'weather'],
  [stdio('uvx', 'mcp-server-git'), 'mcp-server-git'],
  [stdio('pnpm', 'dlx', 'weather'), 'weather'],
  [stdio('docker', 'run', '-i', 'ghcr.io/acme/weather:1'), 'ghcr_io_acme_weather'],
  [stdio('node', '/x/weather/dist/index.js'), 'weather'],
  [stdio('python', 'weather.py'), 'weather'],
  [stdio('/opt/bin/weather-server', '--port', '1'), 'weather-server'],
  [stdio('weather'), 'weather'],
])('takes a prefix from %j', (transport, expected) => {
  expect(choosePrefix(serverSettings('s', { transport }), 'uri', () => '')).toBe(expected);
});

it.each([
  ['server', undefined, 'name'],
  ['none', undefined, ''],
  ['random', undefined, 'qqqq'],
  ['server', 'mine', 'mine'],
  ['none', 'mine', 'mine'],
  ['server', '', ''],
] as const)('mode %s with own prefix %s', (mode, prefix, expected) => {
  expect(choosePrefix(serverSettings('name', { prefix }), mode, () => 'qqqq')).toBe(expected);
});
