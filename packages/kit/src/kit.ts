/** Everything a server needs. This file is the package's front: the only one that re-exports. */

export { z } from 'zod';
export { type ArtifactLink, type Artifacts, openArtifacts } from './artifacts.ts';
export type { Authenticate } from './callers.ts';
export type { Asked, ToolContext } from './context.ts';
export { DefinitionError } from './definition-error.ts';
export { fail, ToolFailure } from './fail.ts';
export { fromOpenApi, type OpenApiOptions, type OpenApiTools } from './openapi/from-openapi.ts';
export {
  type CursorPage,
  cursorInput,
  cursorOutput,
  cursorPage,
  formatInput,
  type Page,
  page,
  pageInput,
  pageOutput,
} from './page.ts';
export { openRoots, type Roots } from './paths.ts';
export { definePrompt, type Prompt } from './prompt.ts';
export { fetchPublic, isPrivateAddress, toPublicUrl } from './public-fetch.ts';
export { defineResource, type Resource } from './resource.ts';
export { type ProgramResult, runProgram } from './run-program.ts';
export { type Field, type Fields, field } from './schema.ts';
export type { SecretRule, Secrets } from './secrets.ts';
export { defineServer, type KitServer, type ServerDefinition, secretsOf } from './server.ts';
export { defineTool, type Hints, type Tool, type ToolDefinition } from './tool.ts';
