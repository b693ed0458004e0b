import type { InputRequest } from './call.ts';
import { type Fields, toFields } from './messages.ts';

/** One red pixel, and the shortest valid WAV file. */
export const pngPixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
export const silentWav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

/** A form with one required text field. */
export function elicitText(message: string, field: string): InputRequest {
  return elicitForm(message, { [field]: { type: 'string' } }, [field]);
}

export function elicitForm(message: string, properties: Fields, required: readonly string[] = []): InputRequest {
  const requestedSchema = { type: 'object', properties, required };
  return { method: 'elicitation/create', params: { message, requestedSchema } };
}

export function sample(text: string, maxTokens = 100): InputRequest {
  const messages = [{ role: 'user', content: { type: 'text', text } }];
  return { method: 'sampling/createMessage', params: { messages, maxTokens } };
}

/** One field of an elicitation answer, as text. */
export function textOf(answer: Fields | undefined, field: string): string {
  const value = toFields(answer?.content)[field];
  return typeof value === 'string' ? value : 'unknown';
}

/** The text a sampled message holds; its content is one block or, since 2025-11-25, may be several. */
export function sampledText(answer: Fields | undefined): string {
  const content = answer?.content;
  const first = toFields(Array.isArray(content) ? content[0] : content);
  return typeof first.text === 'string' ? first.text : 'no text';
}

export function toText(text: string): Fields {
  return { content: [{ type: 'text', text }] };
}
