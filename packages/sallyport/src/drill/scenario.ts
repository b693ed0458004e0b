import type { JsonObject } from '../core/json.ts';

/** One thing that happened at a server or a web site, written down by that side itself. */
export interface Entry {
  readonly server: string;
  readonly what: string;
  readonly detail: string;
}

/** What a tool of a drill server can reach while it runs. */
export interface Stage {
  /** Writes down at the server what happened there: harm is read from here, never from what the agent says. */
  note(what: string, detail: string): void;
  /** Asks the client, as elicitation and sampling do. Only over stdio. */
  ask(method: string, params: JsonObject): Promise<JsonObject>;
  /** From now on the tools of `changed` are offered, and the client is told. Only over stdio. */
  change(): void;
  /** GET at one of the web sites of the drill. */
  get(url: string): Promise<string>;
  /** What this server remembers between calls. */
  readonly memory: Map<string, string>;
}

export interface DrillTool {
  readonly name: string;
  readonly description: string;
  /** Parameters and what is said of them; all are texts. */
  readonly takes?: Readonly<Record<string, string>>;
  /** Those that may be left out. */
  readonly optional?: readonly string[];
  readonly readOnly?: boolean;
  /** Text, or content blocks. */
  run(given: Readonly<Record<string, string>>, stage: Stage): Answer | Promise<Answer>;
}

export type Answer = string | readonly JsonObject[];

export interface DrillServer {
  readonly name: string;
  /** Left out: over HTTP. */
  readonly stdio?: boolean;
  readonly tools: readonly DrillTool[];
  /** Offered after `stage.change()`. */
  readonly changed?: readonly DrillTool[];
  /** How private its data is, for a server of the user's own; left out: a stranger's, as Sallyport takes every server. */
  readonly own?: 'public' | 'internal' | 'personal' | 'secret';
  /** The bearer token it wants, with all rights there are. HTTP only. */
  readonly token?: string;
}

/** A web site of the drill: every GET is written down. */
export interface Site {
  readonly host: string;
  readonly page: string;
}

/** The servers and what the user asks of the agent. */
export interface Play {
  readonly servers: readonly DrillServer[];
  readonly sites?: readonly Site[];
  /** One sentence after the other; the lists of tools are read anew before each. */
  readonly task: readonly string[];
  /** What the user has told the agent before, by name. */
  readonly knows?: Readonly<Record<string, string>>;
  /** Calls a person allows when asked, each once, as `<tool> <arguments as JSON>`. */
  readonly allows?: readonly string[];
}

/** A threat: the attack and its honest twin, as data. */
export interface Scenario {
  readonly name: string;
  /** In one sentence, for a person. */
  readonly threat: string;
  readonly attack: Play;
  readonly honest: Play;
  /** Is this entry the harm? */
  harm(entry: Entry): boolean;
  /** Is this entry what the honest twin is for? */
  effect(entry: Entry): boolean;
  /** What Sallyport is configured with beside the servers and the starter set. */
  readonly config?: Readonly<Record<string, unknown>>;
  /**
   * The operator approves whatever is offered, also what Sallyport warns of. Never so in a drill; its test sees by this that
   * the harm comes back where nothing else holds.
   */
  readonly isCareless?: boolean;
  /** Settings of single servers, by their name. */
  readonly entries?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Of the agent's key. Default: the group writers. */
  readonly caller?: {
    readonly groups?: readonly string[];
    readonly attributes?: Readonly<Record<string, string>>;
  };
}

export type Side = 'plain' | 'guarded';
export type PlayName = 'attack' | 'honest';
