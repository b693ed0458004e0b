/** What the scanner knows of one tool of the live catalogue. */
export interface ToolFace {
  readonly server: string;
  /** At its server. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Names of its parameters. */
  readonly parameters: readonly string[];
}

/** What a definition is read beside: a text about the tools of others is another thing than one about its own. */
export interface DefinitionContext {
  readonly kind: 'tools' | 'prompts' | 'resources' | 'resourceTemplates' | 'instructions';
  readonly server: string;
  /** Approved tools, those of the same server included. */
  readonly tools: readonly ToolFace[];
}
