/** Everything a server needs. This file is the package's front: the only one that re-exports. */

export { z } from 'zod';
export type { Asked, ToolContext } from './context.ts';
export { DefinitionError } from './definition-error.ts';
export { fail, ToolFailure } from './fail.ts';
export { formatInput, type Page, page, pageInput, pageOutput } from './page.ts';
export { definePrompt, type Prompt } from './prompt.ts';
export { defineResource, type Resource } from './resource.ts';
export { type Field, type Fields, field } from './schema.ts';
export type { SecretRule, Secrets } from './secrets.ts';
export { defineServer, type KitServer, type ServerDefinition, secretsOf } from './server.ts';
export { defineTool, type Hints, type Tool, type ToolDefinition } from './tool.ts';
