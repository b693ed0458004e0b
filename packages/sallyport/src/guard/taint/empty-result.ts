import type { JsonObject } from '../../core/json.ts';
import { isBareOutcome } from '../sources/own-words.ts';
import { isProtocolWord } from './protocol-words.ts';
import { walkLeaves } from './walk-leaves.ts';

/** Larger results have content. Characters of all texts. */
const MAX_SIZE = 2_000;
const MAX_LEAVES = 64;

/**
 * Does the result hold no content of anybody but the caller: a confirmation, an error, an echo, a number computed from the
 * arguments, a UUID, a time? Such a result gives no order and names nobody, so it labels no run.
 */
export function isEmptyResult(result: JsonObject, given: JsonObject): boolean {
  const { leaves, isPartial } = walkLeaves(result, '_meta');
  if (isPartial || leaves.length > MAX_LEAVES) return false;
  let left = MAX_SIZE;
  const computes = /\d/.test(JSON.stringify(given).slice(0, MAX_SIZE));
  for (const { key, text, isNumber, isName } of leaves) {
    if (isName) continue;
    // Pictures and sounds are content that nobody here can read.
    left -= text.length;
    if (key === 'data' || left < 0) return false;
    if (isProtocolWord(key, text) || (isNumber && (computes || text.length <= SMALL))) continue;
    if (!isEmptyText(text, given, computes)) return false;
  }
  return true;
}

const SMALL = 6;
const UUID = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi;
const TIME =
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?(?:Z|\s?[+-]\d\d:?\d\d)?\b|\b\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)?|\b\d{1,2}[./]\d{1,2}[./]\d{4}\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?\s\d{1,2}(?:,\s\d{4})?|\b(?:UTC|GMT|CES?T|[EPMC][SD]T)(?:[+-]\d{1,2})?\b|\b(?:Africa|America|Asia|Australia|Europe|Pacific|Etc)\/\w{2,32}\b|\b(?:current|local|time|timezone|datetime|date|day|week|now|today|iso|unix|timestamp|formatted|offset|dst|is_dst|utc_offset)\b/gi;
const NUMBERS =
  /[-+]?\d[\d,_]{0,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?|\b(?:equals?|sum|total|product|answer|average|mean|median|minimum|maximum|root|remainder|quotient|difference|plus|minus|times|divided|percent|computed|calculated|calculation|expression|formula|calculator|NaN|Infinity)\b/gi;

function isEmptyText(text: string, given: JsonObject, computes: boolean): boolean {
  return isBareOutcome(text, given, (rest) => {
    const plain = rest.replace(UUID, ' ').replace(TIME, ' ');
    return computes ? plain.replace(NUMBERS, ' ').replace(OPERATORS, ' ') : plain;
  });
}

const OPERATORS = /[×÷√π≈%]/g;
