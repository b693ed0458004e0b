/** An address, and in it words that signs join: a name in a path has two or three, a sentence has more. */
const LINK = /:\/\/[^\s<>"'`]{1,2048}/g;
const JOINED = /[A-Za-z]{1,24}(?:[_+][A-Za-z0-9@.'-]{1,40}){3,64}/g;

/**
 * A text whose links are read as a model reads them: `…#ignore_all_previous_instructions` holds a sentence. Blanks stand for the
 * signs between its words, so every place stays where it is. Hyphens and full stops stay: readers of words part there anyway.
 */
export function openLinks(text: string): string {
  if (!text.includes('://')) return text;
  return text.replace(LINK, (link) => link.replace(JOINED, (words) => words.replace(/[_+]/g, ' ')));
}
