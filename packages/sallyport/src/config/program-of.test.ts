import { expect, it } from 'vitest';
import { serverSettings } from '../../test/fake-upstreams.ts';
import { programOf } from './program-of.ts';
import type { Transport } from './settings.ts';

const stdio = (command: string, ...args: string[]): Transport =>
  ({ type: 'stdio', command, args, env: {}, cwd: '/' }) as Transport; // only what is read
const http = (url: string): Transport => ({ type: 'http', url, headers: {} });

const SAME: readonly (readonly [Transport, Transport])[] = [
  [stdio('npx', '-y', 'a-mcp', '/one'), stdio('npx', '-y', 'a-mcp@1.2.3', '/two')],
  [stdio('npx', 'a-mcp'), stdio('bunx', 'a-mcp')],
  [stdio('uvx', 'a-mcp'), stdio('uvx', '--from', 'a-mcp', 'run')],
  [stdio('node', '/s/index.js', '/one'), stdio('node', '/s/index.js', '/two')],
  [stdio('/bin/own', '--x'), stdio('/bin/own', '--x')],
  [http('https://a.test/mcp?team=1'), http('https://a.test/mcp?team=2')],
];
const OTHER: readonly (readonly [Transport, Transport])[] = [
  [stdio('npx', 'a-mcp'), stdio('npx', 'b-mcp')],
  [stdio('npx', 'a-mcp'), stdio('uvx', 'a-mcp')],
  [stdio('node', '/s/index.js'), stdio('node', '/t/index.js')],
  [stdio('node', '-r', '/evil.js', '/s/index.js'), stdio('node', '/s/index.js')],
  [stdio('docker', 'run', 'one'), stdio('docker', 'run', 'two')],
  [stdio('/bin/own', '--x'), stdio('/bin/own', '--y')],
  [http('https://a.test/mcp'), http('https://a.test/other')],
  [http('https://a.test/mcp'), http('https://b.test/mcp')],
];
const program = (transport: Transport) => programOf(serverSettings('s', { transport }));

it.each(SAME)('%j is %j', (one, other) => expect(program(one)).toBe(program(other)));
it.each(OTHER)('%j is not %j', (one, other) => expect(program(one)).not.toBe(program(other)));
