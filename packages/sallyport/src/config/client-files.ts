import { posix, win32 } from 'node:path';

export type ClientId = 'claude-desktop' | 'claude-code' | 'cursor' | 'vscode' | 'cline' | 'windsurf';

/** A file in which an MCP client keeps its servers. */
export interface ClientFile {
  readonly client: ClientId;
  /** For people, e.g. `Cursor (project)`. */
  readonly label: string;
  readonly path: string;
  /** The folder relative paths and `${workspaceFolder}` mean; `undefined` for a file of the user. */
  readonly project: string | undefined;
}

export interface Places {
  readonly platform: 'darwin' | 'win32' | 'linux';
  readonly home: string;
  /** The folder whose project files are looked at. */
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A path below one of these roots; `apps` is where desktop programs keep their settings on this platform. */
interface Row {
  readonly client: ClientId;
  readonly label: string;
  readonly root: 'home' | 'apps' | 'project' | 'claude';
  readonly path: string;
}

const CLINE = 'globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';

/** As the clients' own documentation has them, November 2026. */
const ROWS: readonly Row[] = [
  { client: 'claude-desktop', label: 'Claude Desktop', root: 'apps', path: 'Claude/claude_desktop_config.json' },
  { client: 'claude-code', label: 'Claude Code', root: 'claude', path: '.claude.json' },
  { client: 'claude-code', label: 'Claude Code (project)', root: 'project', path: '.mcp.json' },
  { client: 'cursor', label: 'Cursor', root: 'home', path: '.cursor/mcp.json' },
  { client: 'cursor', label: 'Cursor (project)', root: 'project', path: '.cursor/mcp.json' },
  { client: 'vscode', label: 'VS Code', root: 'apps', path: 'Code/User/mcp.json' },
  { client: 'vscode', label: 'VS Code Insiders', root: 'apps', path: 'Code - Insiders/User/mcp.json' },
  { client: 'vscode', label: 'VS Code (workspace)', root: 'project', path: '.vscode/mcp.json' },
  { client: 'cline', label: 'Cline', root: 'apps', path: `Code/User/${CLINE}` },
  { client: 'cline', label: 'Cline in Cursor', root: 'apps', path: `Cursor/User/${CLINE}` },
  {
    client: 'cline',
    label: 'Cline (command line)',
    root: 'home',
    path: '.cline/data/settings/cline_mcp_settings.json',
  },
  { client: 'windsurf', label: 'Windsurf', root: 'home', path: '.codeium/windsurf/mcp_config.json' },
  { client: 'windsurf', label: 'Windsurf plugin', root: 'home', path: '.codeium/mcp_config.json' },
];

/** Files of other programs that hold a server map beside keys of their own. */
export const CLIENT_FILE_NAMES: ReadonlySet<string> = new Set(ROWS.map((row) => posix.basename(row.path)));

/** Where each client would keep its file on this machine, whether it is there or not. */
export function listClientFiles(places: Places): readonly ClientFile[] {
  const { join } = places.platform === 'win32' ? win32 : posix;
  const roots = {
    home: places.home,
    apps: appsFolder(places),
    project: places.project,
    claude: places.env['CLAUDE_CONFIG_DIR'] ?? places.home,
  };
  return ROWS.map(({ client, label, root, path }) => ({
    client,
    label,
    path: join(roots[root], path),
    project: root === 'project' ? places.project : undefined,
  }));
}

function appsFolder({ platform, home, env }: Places): string {
  if (platform === 'darwin') return posix.join(home, 'Library/Application Support');
  if (platform === 'win32') return env['APPDATA'] ?? win32.join(home, 'AppData/Roaming');
  return env['XDG_CONFIG_HOME'] ?? posix.join(home, '.config');
}
