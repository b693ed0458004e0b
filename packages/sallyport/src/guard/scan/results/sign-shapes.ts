import type { Span } from '../../../core/json-scan.ts';
import { FORM } from './sign-bits.ts';

const ADDRESS =
  /https?:\/\/|[\w.+-]@[\w-]{1,40}\.[a-z]|\bwww\.|[a-z\d-]\.(?:example|com|net|org|io|dev|app|test|invalid)\b|\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b|\b(?:bc1|0x[\da-f]{6}|[A-Z]{2}\d{2} \d{4})/i;
const CALL_LIKE = /\b[a-z]{2,24}(?:[._][a-z]{2,24}){1,4}\s?\(|\b[a-z]{2,24}\([a-z_]{2,24}\s?=/i;
const SHELL =
  /\b(?:curl|wget|pip3? install|npm i(?:nstall)?|npx|sudo|chmod|chown|rm -|cat [/~]|bash|sh -c|powershell|ssh|scp|nc|eval|exec|systemctl|git push|cron|shutdown -)(?![\w-])|[~/]\.?(?:ssh|aws|etc|env)\b/i;
const LABEL = /^[\s\-=#*<([{/!>【]{0,12}(?:SYSTEM|SYSTÈME|SISTEMA|ADMIN|OVERRIDE|INSTRUCTION|COMMAND|系统)/;
const ROLE =
  /<\|?\/?(?:im_start|im_end|system|user|assistant|human)\||\brole=(?:user|system|assistant|developer)|\[\/?INST|^\s{0,4}(?:system|human|developer)\s?:\s\w/i;
const MAX_SENTENCE = 600;

/** What a sentence holds beside words. Looked for only where it decides. */
export function readShapes(text: string, { start, end }: Span): number {
  const part = text.slice(start, Math.min(end, start + MAX_SENTENCE));
  let forms = 0;
  if (ADDRESS.test(part)) forms |= FORM.address;
  if (part.includes('(') && CALL_LIKE.test(part)) forms |= FORM.callLike;
  if (SHELL.test(part)) forms |= FORM.shell;
  if (LABEL.test(part) || ROLE.test(part)) forms |= FORM.role;
  return forms;
}

/** All that {@link readShapes} may find. */
export const SHAPES = FORM.address | FORM.callLike | FORM.shell | FORM.role;
