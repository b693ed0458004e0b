import { nearestName } from '../../config/nearest-name.ts';
import type { PolicyJson } from './cedar.ts';

const ANNOTATIONS: readonly string[] = ['id', 'ask', 'people', 'reason', 'description'];

/** What is wrong with the annotations of a policy: a mistyped `@ask` would permit without asking. */
export function checkAnnotations({ annotations = {}, effect }: PolicyJson): readonly string[] {
  const problems: string[] = [];
  const has = (name: string) => Object.hasOwn(annotations, name);
  for (const name of Object.keys(annotations)) {
    if (ANNOTATIONS.includes(name)) continue;
    const meant = nearestName(name, ANNOTATIONS);
    problems.push(
      `@${name} means nothing here; ${meant === undefined ? `the annotations are ${ANNOTATIONS.map((one) => `@${one}`).join(', ')}` : `did you mean @${meant}`}`,
    );
  }
  if (effect === 'forbid' && has('ask'))
    problems.push('@ask stands on a forbid, which never asks; put it on a permit, or use @reason');
  if (effect === 'permit' && has('reason'))
    problems.push('@reason stands on a permit, where nobody reads it; put it on a forbid, or use @ask or @description');
  if (has('people') && annotations['people'] !== '2') problems.push('@people is "2" or left out');
  if (has('people') && !has('ask')) problems.push('@people stands without @ask, so that nobody is asked; add @ask');
  if (has('id') && !annotations['id']?.trim()) problems.push('@id is empty; give it a name or leave it out');
  return problems;
}
