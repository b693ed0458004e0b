import type { BundleSettings } from '../config/access-settings.ts';
import { names } from '../config/allowed.ts';
import { addTo } from '../core/add-to.ts';
import type { Entry } from './view-part.ts';

/** The tools of a bundle under the operator's names and descriptions; two that would have one name are set aside both. */
export function renameTools(entries: readonly Entry[], bundle: BundleSettings): readonly Entry[] {
  const renamed = entries.map((entry): Entry => {
    const of = { server: entry.part.server.name, item: entry.item.id };
    const written = bundle.tools.filter((one) => names(one, of));
    const name = written.find((one) => one.name !== undefined)?.name;
    const description = written.find((one) => one.description !== undefined)?.description;
    // As on the shared endpoint: model APIs refuse dots.
    return { ...entry, publicId: name?.replaceAll('.', '_') ?? entry.publicId, description };
  });
  const owners = new Map<string, Entry[]>();
  for (const entry of renamed) addTo(owners, entry.publicId ?? entry.item.id, entry);
  return renamed.map((entry) => {
    const name = entry.publicId ?? entry.item.id;
    const sharing = owners.get(name) ?? [];
    if (sharing.length < 2) return entry;
    const all = sharing.map(({ part, item }) => `"${part.server.name}.${item.id}"`).join(' and ');
    return { ...entry, clash: `the bundle "${bundle.name}" calls ${all} both "${name}"; rename one` };
  });
}
