/** How resources and tasks of many servers are kept apart on the shared endpoint: the owner is written into the name. */
export interface QualifiedNames {
  toPublicUri(server: string, uri: string): string;
  /** The owner a URI names itself; `undefined` for one without a known owner. */
  fromPublicUri(uri: string): { readonly server: string; readonly uri: string } | undefined;
  toPublicTaskId(server: string, taskId: string): string;
  fromPublicTaskId(taskId: string): { readonly server: string; readonly taskId: string } | undefined;
}

/**
 * `github` + `file:///a` -> `github+file:///a`, task `7` -> `github:7`. Servers in file order: of two whose names look
 * alike as a URI scheme the later one gets a number.
 */
export function qualifyNames(servers: readonly string[]): QualifiedNames {
  const schemes = new Map<string, string>();
  const byScheme = new Map<string, string>();
  const byTaskOwner = new Map<string, string>();
  for (const server of servers) {
    const scheme = toScheme(server);
    let free = scheme;
    for (let n = 2; byScheme.has(free); n++) free = `${scheme}-${n}`;
    schemes.set(server, free);
    byScheme.set(free, server);
    byTaskOwner.set(toTaskOwner(server), server);
  }
  return {
    toPublicUri(server, uri) {
      const scheme = schemes.get(server);
      return scheme === undefined ? uri : `${scheme}+${uri}`;
    },
    fromPublicUri(uri) {
      const plus = uri.indexOf('+');
      if (plus < 1) return undefined;
      // RFC 3986 section 3.1: schemes are case-insensitive, and URL parsers write them in lower case.
      const server = byScheme.get(uri.slice(0, plus).toLowerCase());
      return server === undefined ? undefined : { server, uri: uri.slice(plus + 1) };
    },
    toPublicTaskId(server, taskId) {
      return `${toTaskOwner(server)}:${taskId}`;
    },
    fromPublicTaskId(taskId) {
      const colon = taskId.indexOf(':');
      const server = colon < 1 ? undefined : byTaskOwner.get(taskId.slice(0, colon));
      return server === undefined ? undefined : { server, taskId: taskId.slice(colon + 1) };
    },
  };
}

/** RFC 3986 scheme characters without `+`, which separates. */
function toScheme(server: string): string {
  const text = server.toLowerCase().replace(/[^a-z0-9.-]/gu, '-');
  return /^[a-z]/.test(text) ? text : `s${text}`;
}

/** Percent-encoded, so that the first colon is ours; does not depend on other servers because tasks outlive a reload. */
function toTaskOwner(server: string): string {
  let out = '';
  for (const byte of Buffer.from(server, 'utf8')) {
    const character = String.fromCharCode(byte);
    out += /[A-Za-z0-9_.-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0').toUpperCase()}`;
  }
  return out;
}

/** `github:` of a URI or URI template, in lower case; empty when it has none. */
export function schemeOf(uri: string): string {
  return /^[A-Za-z][A-Za-z0-9.+-]*:/.exec(uri)?.[0].toLowerCase() ?? '';
}

/**
 * Whether a URI can come from an RFC 6570 template: its literal parts stand in it in order. Lenient about what
 * expressions expand to, and linear in the URI per part: templates come from strangers, a pattern could take for ever.
 */
export function matchesTemplate(template: string, uri: string): boolean {
  const literals = template.split(/\{[^{}]*\}/);
  const first = literals[0] ?? '';
  if (literals.length === 1) return uri === first;
  const last = literals.at(-1) ?? '';
  if (!uri.startsWith(first) || !uri.endsWith(last)) return false;
  let at = first.length;
  const end = uri.length - last.length;
  for (const literal of literals.slice(1, -1)) {
    const found = uri.indexOf(literal, at);
    if (found < 0) return false;
    at = found + literal.length;
  }
  return at <= end;
}
