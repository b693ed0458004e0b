import type { Endpoint } from '../core/endpoint.ts';
import { FaultError } from '../core/errors.ts';
import { type Command, textOption } from './command.ts';
import { SERVE_OPTIONS, serve, untilInterrupted } from './serve.ts';

export const stdio: Command = {
  name: 'stdio',
  summary: 'run the gateway for a client that starts it: messages on stdin and stdout, logs on stderr',
  options: [{ flags: '--server <name>', meaning: 'only this server, under its own names' }, ...SERVE_OPTIONS],
  example: 'sallyport stdio --config ~/.config/sallyport/sallyport.json',
  async run(input) {
    const { terminal } = input;
    const { app, close } = await serve(input, {});
    try {
      const endpoint = toEndpoint(textOption(input.options, 'server'), app.snapshot().servers);
      void app.warm();
      await Promise.race([
        app.serveStdio({ stdin: terminal.stdin, stdout: terminal.stdout }, endpoint),
        untilInterrupted(input),
      ]);
    } finally {
      await close();
    }
    return undefined;
  },
};

function toEndpoint(name: string | undefined, servers: ReadonlyMap<string, unknown>): Endpoint {
  if (name === undefined) return { kind: 'all' };
  if (!servers.has(name))
    throw new FaultError(
      'usage',
      `There is no server "${name}" in the configuration. It has: ${[...servers.keys()].join(', ') || 'none'}.`,
    );
  return { kind: 'server', name };
}
