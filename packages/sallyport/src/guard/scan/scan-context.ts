import type { ToolFace } from '../../core/tool-face.ts';

/** What a definition is read beside: a text about the tools of others is another thing than one about its own. */
export interface DefinitionContext {
  readonly kind: 'tools' | 'prompts' | 'resources' | 'resourceTemplates' | 'instructions' | 'serverInfo';
  readonly server: string;
  /** Approved tools, those of the same server included. */
  readonly tools: readonly ToolFace[];
}
