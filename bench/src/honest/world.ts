/** Where a task happens: made anew for each run. */
export interface World {
  /** The folder the file servers may use. */
  readonly files: string;
  /** The origin of the loopback site. */
  readonly site: string;
}

/** Texts of the results so far, by the number of the step. */
export interface Seen {
  text(step: number): string;
  /** The first match of the pattern in a result: its first group. Throws when there is none. */
  find(step: number, pattern: RegExp): string;
}

export type Args = Readonly<Record<string, unknown>>;

/** One call an agent makes; arguments may use what it has seen, and where it is. */
export interface Step {
  readonly server: string;
  readonly tool: string;
  readonly args: Args | ((seen: Seen) => Args);
}

/** What a person asks for, and what an agent does about it. */
export interface Task {
  readonly name: string;
  readonly user: string;
  readonly steps: readonly Step[];
}

export function task(name: string, user: string, ...steps: readonly Step[]): Task {
  return { name, user, steps };
}

/** `call('files.read_text_file', { path })` */
export function call(target: string, args: Step['args'] = {}): Step {
  const at = target.indexOf('.');
  return { server: target.slice(0, at), tool: target.slice(at + 1), args };
}
