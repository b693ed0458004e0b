import { DefinitionError } from './definition-error.ts';

/** Many clients cut or refuse names beyond this. */
export const MAX_NAME = 64;
const WORDS = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
const SERVER = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*-mcp-server$/;

/** `{service}-mcp-server`, as the ecosystem names servers. @throws DefinitionError */
export function assertServerName(name: string): void {
  if (SERVER.test(name) && name.length <= MAX_NAME) return;
  throw new DefinitionError(
    `Server "${name}"`,
    `a server is named {service}-mcp-server in lower case, at most ${MAX_NAME} characters.`,
    `Write for example "${toWords(name, '-') || 'weather'}-mcp-server".`,
  );
}

/** `{service}_{action}_{resource}`: two to many words of lower case joined by `_`. @throws DefinitionError */
export function assertToolName(name: string): void {
  if (WORDS.test(name) && name.includes('_') && name.length <= MAX_NAME) return;
  throw new DefinitionError(
    `Tool "${name}"`,
    `a tool is named {service}_{action}_{resource} in lower case, at most ${MAX_NAME} characters.`,
    'Write for example "weather_get_forecast".',
  );
}

function toWords(name: string, joint: string): string {
  return name
    .replace(/-mcp-server$|[-_ ]?(?:mcp|server)$/i, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join(joint);
}
