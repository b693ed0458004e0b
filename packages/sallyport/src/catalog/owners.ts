import { isObject, member } from '../core/json.ts';
import { matchesTemplate, schemeOf } from './uris.ts';
import type { ViewPart } from './view-part.ts';

interface Owner {
  readonly upstream: string;
  readonly uri: string;
}

/** Who may own a URI that does not say so. */
export interface Owners {
  exact(uri: string): readonly Owner[];
  lists(owner: Owner): boolean;
  /** Best first: exact entry, template, same scheme, any with resources; each class in file order. */
  candidates(uri: string): readonly Owner[];
}

export function findOwners(parts: readonly ViewPart[]): Owners {
  const known = parts
    .filter((part) => isObject(member(part.identity.capabilities, 'resources')))
    .map((part) => {
      const uris = new Set(part.lists.get('resources')?.items.map((item) => item.id));
      const templates = (part.lists.get('resourceTemplates')?.items ?? []).map((item) => item.id);
      const schemes = new Set([...uris, ...templates].map(schemeOf));
      return { upstream: part.server.name, uris, templates, schemes };
    });
  const exact = (uri: string) => known.filter((part) => part.uris.has(uri)).map(({ upstream }) => ({ upstream, uri }));
  return {
    exact,
    lists: ({ upstream, uri }) => exact(uri).some((owner) => owner.upstream === upstream),
    candidates(uri) {
      const scheme = schemeOf(uri);
      const rank = (part: (typeof known)[number]) => {
        if (part.uris.has(uri)) return 0;
        if (part.templates.some((template) => matchesTemplate(template, uri))) return 1;
        return part.schemes.has(scheme) ? 2 : 3;
      };
      return known
        .map((part) => ({ upstream: part.upstream, rank: rank(part) }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ upstream }) => ({ upstream, uri }));
    },
  };
}
