import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fromServerJson, WAYS, type Way } from '../catalog/registry/from-server-json.ts';
import { SERVER_NAME } from '../config/file-schema.ts';
import { findFault, toServerName } from '../config/read-client-file.ts';
import type { ServerJson } from '../config/server-json.ts';
import { FaultError } from '../core/errors.ts';
import { addServer } from './add-server.ts';
import { type Command, type Input, textOption } from './command.ts';
import { readConfigText } from './config-file.ts';
import { type OpenFile, openConfig } from './edit-config.ts';
import { maskSecrets } from './mask-secrets.ts';
import { toLine } from './plain-text.ts';
import { checkServerJson, openRegistry, pickRegistries } from './read-registry.ts';
import { parseObject } from './read-stdin.ts';
import { REGISTRY_HEADER, readRegistryHeaders } from './registry-search.ts';

/** Of a server.json in a file. One from a registry has the same bound. */
const MAX_BYTES = 262_144;

export const registryAdd: Command = {
  name: 'registry add',
  summary: 'add a server of a registry, or of a server.json file, to the configuration',
  words: [['<name>', 'its name in the registry, e.g. io.github.acme/weather']],
  options: [
    { flags: '--from <url or file>', meaning: 'the registry or the file; left out: the registry of the configuration' },
    { flags: '--at <version>', meaning: 'this exact version; left out: the latest, written down as it is now' },
    { flags: '--way <way>', meaning: `${WAYS.join(', ')}; left out: the first that it offers` },
    { flags: '--as <name>', meaning: 'what to call it; left out: the last part of its name' },
    REGISTRY_HEADER,
  ],
  example: 'sallyport registry add io.github.acme/weather --from ./server.json --as weather',
  async run(input) {
    const [wanted = ''] = input.words;
    const open = openConfig(input);
    const { document, origin } = await readDocument(wanted, open, input);
    const name = textOption(input.options, 'as') ?? toServerName(wanted.slice(wanted.lastIndexOf('/') + 1));
    if (!SERVER_NAME.test(name))
      throw new FaultError(
        'usage',
        `--as is 1 to 64 of the characters A-Z a-z 0-9 _ . -; how about "${toServerName(name)}"?`,
      );
    const imported = fromServerJson(document, { name, way: readWay(input), origin });
    const fault = findFault(name, imported.entry);
    if (fault !== undefined) throw new FaultError('usage', `That is no server that could be used: ${fault}.`);
    addServer(open, name, imported.entry);
    const { way, entry, asked, optional } = imported;
    return {
      value: {
        name,
        file: open.file,
        registryName: document.name,
        version: document.version,
        way,
        server: maskSecrets(entry),
        variables: asked.map(({ variable, input: of, isSecret, description }) => ({
          variable,
          input: of,
          isSecret,
          description,
        })),
        optional: [...optional],
      },
      text: `Added ${name} (${document.name} ${document.version}, ${way}) to ${open.file}`,
      remarks: [
        // The words are the document's: one short line each.
        ...asked.map(({ variable, input: of, description }) =>
          toLine(`Set ${variable}: ${of}${description === '' ? '' : `, ${description}`}`, 160),
        ),
        ...(optional.length === 0 ? [] : [toLine(`Left out, since they are optional: ${optional.join(', ')}`, 400)]),
        `Try it: sallyport tool list ${name}`,
      ],
    };
  },
};

function readWay({ options }: Input): Way | undefined {
  const written = textOption(options, 'way');
  const way = WAYS.find((one) => one === written);
  if (written !== undefined && way === undefined) throw new FaultError('usage', `--way knows ${WAYS.join(', ')}.`);
  return way;
}

async function readDocument(
  name: string,
  open: OpenFile,
  input: Input,
): Promise<{ readonly document: ServerJson; readonly origin: string | undefined }> {
  const { options, terminal, signal } = input;
  const from = textOption(options, 'from');
  const version = textOption(options, 'at') ?? 'latest';
  if (from !== undefined && !/^https?:\/\//i.test(from)) {
    const document = checkServerJson(parseObject(readSmall(resolve(terminal.cwd, from)), from), from);
    if (document.name !== name || (version !== 'latest' && document.version !== version))
      throw new FaultError('usage', `${from} is not ${name}: it describes another server or version.`);
    return { document, origin: undefined };
  }
  const [url = '', ...others] = pickRegistries(open, from);
  if (others.length > 0)
    throw new FaultError('usage', `Say which registry with --from: ${[url, ...others].join(', ')}.`);
  const headers = readRegistryHeaders(input, [url]);
  return { document: await openRegistry(url, headers, signal).get(name, version), origin: new URL(url).origin };
}

function readSmall(file: string): string {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES)
    throw new FaultError('too_large', `${file} has more than 256 KiB: that is no server.json.`);
  return readConfigText(file);
}
