import type { JsonObject } from '../core/json.ts';
import type { ClientFile, ClientId } from './client-files.ts';
import { addItem, addServers, removeAt } from './edit-file.ts';
import type { FoundServer } from './read-client-file.ts';

/** How clients reach Sallyport. */
export interface Reach {
  readonly url: string;
  /** `undefined`: none is needed. */
  readonly key: string | undefined;
  /** Starts a Sallyport of its own, for a client that knows no URLs. */
  readonly stdio: { readonly command: string; readonly args: readonly string[]; readonly env: JsonObject };
}

const NAME = 'sallyport';
const INPUT = 'sallyport-key';

/**
 * A client's file in which the servers of `taken` are replaced by Sallyport. All else stays as it is written, comments
 * included. A file of a project is shared with others: it names a variable where a file of the user holds the key.
 */
export function rewireClient(
  text: string,
  file: ClientFile,
  given: { taken: readonly FoundServer[]; reach: Reach },
): string {
  const { taken, reach } = given;
  // An older entry for Sallyport makes room for the new one.
  const places = [...taken.map(({ place }) => place), ['mcpServers', NAME], ['servers', NAME]];
  const without = places.reduce((rest, place) => removeAt(rest, place), text);
  const entry = toEntry(file, reach);
  const added = addServers(without, false, new Map([[NAME, entry]]));
  if (file.client !== 'vscode' || reach.key === undefined || added.includes(`"${INPUT}"`)) return added;
  // VS Code asks once and keeps the answer among its secrets: its file may be synchronised to other machines.
  const input = {
    type: 'promptString',
    id: INPUT,
    description: 'The key of Sallyport (its file "key")',
    password: true,
  };
  return addItem(added, 'inputs', input);
}

/** What stands for the key in a file that others read, as each client fills it in. */
const SHARED_KEY: ReadonlyMap<ClientId, string> = new Map([
  ['claude-code', `\${SALLYPORT_KEY}`],
  ['cursor', `\${env:SALLYPORT_KEY}`],
]);

function toEntry({ client, project }: ClientFile, { url, key, stdio }: Reach): JsonObject {
  const shown = client === 'vscode' ? `\${input:${INPUT}}` : project === undefined ? key : SHARED_KEY.get(client);
  const headers = key === undefined ? {} : { headers: { Authorization: `Bearer ${shown ?? key}` } };
  switch (client) {
    case 'claude-desktop':
      return {
        command: stdio.command,
        args: stdio.args,
        ...(Object.keys(stdio.env).length > 0 ? { env: stdio.env } : {}),
      };
    case 'claude-code':
    case 'vscode':
      return { type: 'http', url, ...headers };
    case 'cursor':
      return { url, ...headers };
    case 'cline':
      return { type: 'streamableHttp', url, ...headers };
    case 'windsurf':
      return { serverUrl: url, ...headers };
  }
}

/** What a person has to do before a rewired client finds its key; `undefined`: nothing. */
export function describeKeyOf({ client, project }: ClientFile, { key }: Reach): string | undefined {
  if (key === undefined || client === 'claude-desktop') return undefined;
  if (client === 'vscode') return 'VS Code asks for the key when it starts Sallyport';
  if (project !== undefined && SHARED_KEY.has(client))
    return 'set SALLYPORT_KEY to the key where this client is started';
  return undefined;
}
