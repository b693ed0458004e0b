import { readFileSync } from 'node:fs';

const GUIDE = new URL('../../../docs/guide-team.md', import.meta.url);

/** What the guide writes into its configuration file, but for its servers and its port, and the files beside it. */
export interface GuideSettings {
  readonly sections: Readonly<Record<string, unknown>>;
  readonly files: Readonly<Record<string, string>>;
}

/** The settings of docs/guide-team.md as the guide's own test runs them. */
export function readGuideSettings(page = readFileSync(GUIDE, 'utf8')): GuideSettings {
  const files: Record<string, string> = {};
  for (const [, name = '', body = ''] of page.matchAll(/cat > (\S+) <<'END'\n((?:> .*\n|>\n)*?)> END\n/g))
    files[name] = body.replaceAll(/^> ?/gm, '');
  const { 'sallyport.json': config, ...others } = files;
  if (config === undefined) throw new Error('docs/guide-team.md writes no sallyport.json');
  const { gateway: _gateway, mcpServers: _servers, ...sections } = JSON.parse(config) as Record<string, unknown>;
  return { sections, files: others };
}
