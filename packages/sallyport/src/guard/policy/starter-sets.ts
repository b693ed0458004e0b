import type { StarterSet } from '../../config/policy-section.ts';

/** Nobody is known behind an endpoint without a key: such callers never get at what cannot be taken back. */
const STRANGERS = `@id("%:strangers")
@reason("This endpoint has no key, so nobody knows who asks: tools with this effect need one.")
forbid(principal, action in [Action::"list", Action::"call"], resource)
when {
  principal.kind == "open" &&
  resource.sinks.containsAny([Sink::"pay", Sink::"change_rights", Sink::"credentials"])
};
`;

/** Effects that a person agrees to each time. A permit that asks is a permit: it names who may, too. */
const ASK = `@id("%:ask")
@ask("The tool can have an effect that is hard to take back.")
permit(principal, action == Action::"call", resource)
when {
  (principal in Group::"writers" || principal in Group::"admin") &&
  resource.sinks.containsAny([Sink::"delete", Sink::"pay", Sink::"change_rights", Sink::"credentials", Sink::"write_public"])
};
`;

const LAPTOP = `@id("%:everything")
permit(principal, action, resource);

${STRANGERS}`;

const TEAM = `// Everybody who is known may look; writing takes the group "writers" or "admin".
@id("%:read")
permit(principal, action, resource)
when { resource.readOnly };

@id("%:write")
permit(principal in Group::"writers", action, resource);

@id("%:admin")
permit(principal in Group::"admin", action, resource);

@id("%:strangers-read-only")
@reason("This endpoint has no key, so nobody knows who asks: only what changes nothing is offered.")
forbid(principal, action in [Action::"list", Action::"call"], resource)
when { principal.kind == "open" && !resource.readOnly };

${ASK}`;

/** Nothing is permitted but by the operator's own files. */
const LOCKED = STRANGERS;

/** What each permits, in a few words. Unknown callers are those of an endpoint without keys. */
export const SET_SUMMARIES: Readonly<Record<StarterSet, { readonly on: boolean; readonly action: string }>> = {
  laptop: { on: false, action: 'all permitted; unknown callers: deny pay, change_rights, credentials' },
  team: { on: true, action: 'reading: all; writing: groups writers, admin; dangerous effects: ask' },
  locked: { on: true, action: 'deny all but what policy.files permit' },
};

const TEXTS: Readonly<Record<StarterSet, string>> = { laptop: LAPTOP, team: TEAM, locked: LOCKED };

export interface PolicySource {
  /** As the operator wrote it, for messages. */
  readonly file: string;
  readonly text: string;
}

/** A starter set as a source beside the operator's own. */
export function toStarterSource(set: StarterSet): PolicySource {
  return { file: `(set ${set})`, text: TEXTS[set].replaceAll('%', set) };
}
