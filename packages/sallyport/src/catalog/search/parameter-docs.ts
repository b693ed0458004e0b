import { isObject, member } from '../../core/json.ts';
import type { ToolFace } from '../../core/tool-face.ts';

/** Of one parameter's text: what follows is an example or an explanation of values. */
const MAX_DOC = 140;
const MAX_PARAMETERS = 64;

/** What is said of the parameters, each cut, in one text. */
export function parameterDocsOf({ definition }: ToolFace): string {
  const properties = member(member(definition, 'inputSchema'), 'properties');
  if (!isObject(properties)) return '';
  const docs: string[] = [];
  for (const one of Object.values(properties).slice(0, MAX_PARAMETERS)) {
    const text = member(one, 'description');
    if (typeof text === 'string') docs.push(text.slice(0, MAX_DOC));
  }
  return docs.join('\n');
}
