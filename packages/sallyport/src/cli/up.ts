import { join } from 'node:path';
import type { App } from '../app/app.ts';
import { FaultError } from '../core/errors.ts';
import { type Command, type Input, isSet, textOption } from './command.ts';
import { findStateDir } from './config-file.ts';
import { describeStart, toStart } from './describe-start.ts';
import { describeUnusable } from './describe-tally.ts';
import { toPlainText } from './plain-text.ts';
import { noteGateway } from './running-gateway.ts';
import { type GatewayOverrides, SERVE_OPTIONS, serve, untilInterrupted } from './serve.ts';
import { createStyle } from './style.ts';
import { type Terminal, write } from './terminal.ts';

export const up: Command = {
  name: 'up',
  summary: 'run the gateway: one endpoint in front of all servers of the configuration',
  options: [
    { flags: '--host <address>', meaning: 'listen here instead of gateway.host (default 127.0.0.1)' },
    { flags: '--port <port>', meaning: 'listen here instead of gateway.port; 0 lets the system choose' },
    { flags: '--auth <mode>', meaning: 'key (default), or none: on loopback, whoever reaches the port may call' },
    { flags: '--show-key', meaning: 'print the key itself beside the name of its file; --json always has it' },
    ...SERVE_OPTIONS,
  ],
  example: 'sallyport up --config sallyport.json --port 7411',
  async run(input) {
    const { terminal } = input;
    const isJson = isSet(input.options, 'json');
    const { app, close } = await serve(input, toOverrides(input));
    let forget = (): void => {};
    try {
      const { origin, key } = await app.openHttp();
      forget = noteGateway(findStateDir(terminal), origin);
      await app.openControlSocket();
      const warmed = app.warm();
      const start = toStart({
        ...{ origin, key, keyFile: join(findStateDir(terminal), 'key') },
        isKeyShown: isSet(input.options, 'showKey') || isJson,
        servers: [...app.snapshot().servers.keys()],
      });
      const style = createStyle(terminal.stdout, terminal.env);
      const { auth } = app.snapshot().gateway;
      await write(terminal.stdout, isJson ? `${JSON.stringify(start)}\n` : describeStart(start, auth, style));
      if (!isJson) void warmed.then(() => tellUnusable(app, terminal.stdout));
      await untilInterrupted(input);
      await write(terminal.stderr, 'Ending: calls in flight may finish. Ctrl-C again ends at once.\n');
    } finally {
      forget();
      await close();
    }
    return undefined;
  },
};

/** What may not be used of the servers, once all have been met. */
async function tellUnusable({ catalog, snapshot }: App, stdout: Terminal['stdout']): Promise<void> {
  const lines = [...snapshot().servers.keys()].flatMap((name) => describeUnusable(name, catalog.tally(name)) ?? []);
  if (lines.length > 0) await write(stdout, `${toPlainText(['', ...lines.map((line) => `  ! ${line}`)].join('\n'))}\n`);
}

function toOverrides({ options }: Input): GatewayOverrides {
  const host = textOption(options, 'host');
  const port = textOption(options, 'port');
  const auth = textOption(options, 'auth');
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535))
    throw new FaultError('usage', '--port is a number from 0 to 65535.');
  if (auth !== undefined && auth !== 'key' && auth !== 'none') throw new FaultError('usage', '--auth is key or none.');
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port: Number(port) }),
    ...(auth === undefined ? {} : { auth }),
  };
}
