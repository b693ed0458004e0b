import { toNamed } from './faces.ts';
import type { Measured } from './judged.ts';
import { type Candidate, type FindShadow, load } from './product.ts';
import type { Data } from './read-rows.ts';

/** Newcomers beside the tool they compete with, and honest servers whose tools happen to share a name. */
export async function measureShadows(data: Data): Promise<Measured> {
  const findShadow = await load<FindShadow>('catalog/shadow/find-shadow.js', 'findShadow');
  const judged = (label: string) =>
    (data.get('shadow_pairs') ?? []).flatMap((row) => {
      const trusted = toNamed(row.written['trusted']);
      const candidate = toNamed(row.written['candidate']);
      if (!row.is('label', label) || trusted === undefined || candidate === undefined) return [];
      const pairs = findShadow(candidate, [trusted]);
      const note = `${JSON.stringify(pairs).slice(0, 300)}\ntrusted ${show(trusted)}\ncandidate ${show(candidate)}`;
      const group = row.text('attack_type') || 'collision';
      return [{ id: row.id, source: row.source, group, hit: pairs.length > 0, note }];
    });
  return {
    'detection.shadow.found': judged('malicious'),
    'detection.shadow.false_alarms': judged('benign'),
  };
}

function show({ server, name, description }: Candidate): string {
  return `${server}/${name}: ${description.slice(0, 250)}`;
}
