import { resolve } from 'node:path';
import { listWays } from '../catalog/registry/from-server-json.ts';
import type { ServerJson } from '../config/server-json.ts';
import { FaultError } from '../core/errors.ts';
import { type Command, type Flag, type Input, listOption, textOption } from './command.ts';
import { readConfigText } from './config-file.ts';
import { openConfig } from './edit-config.ts';
import { parseHeaderPairs } from './parse-pair.ts';
import { openRegistry, pickRegistries } from './read-registry.ts';
import { toTable } from './to-table.ts';

export const REGISTRY_HEADER: Flag = {
  flags: '--header <name: value>',
  meaning: 'send this HTTP header to the registry, or those of @file; may be repeated',
  many: true,
};

export const registrySearch: Command = {
  name: 'registry search',
  summary: 'find servers in a registry',
  words: [['<words...>', 'all of them are in the name, title or description; the first one is in the name']],
  options: [{ flags: '--from <url>', meaning: 'the registry; left out: those of the configuration' }, REGISTRY_HEADER],
  example: 'sallyport registry search github --from https://registry.modelcontextprotocol.io',
  async run(input) {
    const urls = pickRegistries(openConfig(input), textOption(input.options, 'from'));
    const headers = readRegistryHeaders(input, urls);
    const [first = '', ...others] = input.words.map((word) => word.toLowerCase());
    const found: { readonly server: ServerJson; readonly registry: string }[] = [];
    const remarks: string[] = [];
    for (const url of urls) {
      const { servers, unusable } = await openRegistry(url, headers, input.signal).search(first);
      for (const server of servers)
        if (others.every((word) => toText(server).includes(word))) found.push({ server, registry: url });
      if (unusable > 0) remarks.push(`${url}: ${unusable} documents are no server.json and are left out.`);
    }
    const rows = found.map(({ server }) => [
      server.name,
      server.version,
      listWays(server).join(', '),
      server.description,
    ]);
    return {
      value: {
        servers: found.map(({ server, registry }) => ({
          name: server.name,
          version: server.version,
          title: server.title ?? null,
          description: server.description,
          ways: [...listWays(server)],
          registry,
        })),
      },
      text:
        rows.length === 0
          ? ''
          : toTable(['server', 'version', 'ways', 'description'], rows, input.terminal.stdout.columns ?? 0),
      remarks,
      next:
        rows.length === 0
          ? ['No server fits.']
          : [`Add one: sallyport registry add ${found[0]?.server.name ?? ''} --from ${found[0]?.registry ?? ''}`],
    };
  },
};

/** @throws FaultError `usage` for several registries: the credential of one is not for the others. */
export function readRegistryHeaders(
  { options, terminal }: Input,
  urls: readonly string[],
): Readonly<Record<string, string>> {
  const written = listOption(options, 'header');
  if (written.length > 0 && urls.length > 1)
    throw new FaultError('usage', `Say for which registry --header is, with --from: ${urls.join(', ')}.`);
  return parseHeaderPairs(written, (file) => readConfigText(resolve(terminal.cwd, file)));
}

function toText({ name, title = '', description }: ServerJson): string {
  return `${name}\n${title}\n${description}`.toLowerCase();
}
