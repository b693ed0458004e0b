import { stem } from '../search/tokens.ts';

/** The longer ones first. */
const IN_HAN = /(新版|最佳|安全|高级|专业版|专业|官方|增强版|增强|升级版|升级|旗舰版)/u;

const HAN_PRAISE = /^(?:新版|最佳|安全|高级|专业版|专业|官方|增强版|增强|升级版|升级|旗舰版)$/u;

/** Words that say "the same, only better", and nothing of what a tool does. */
const PRAISE: ReadonlySet<string> = new Set(
  `advanced assured best better certified deluxe elite enhanced enterprise expert extra fast faster final fixed genuine
  gold hyper improved latest master mega modern newer nextgen official optimal optimized original perfect plus powerful
  preferred premium prime pro professional proper rapid recommended reliable safe safer secure secured smart smarter super
  superior supreme trusted turbo true ultimate ultra unified universal upgraded v verified version vip ng copy clone`
    .split(/\s+/)
    .map(stem),
);

/** Nothing separates Chinese words: those of praise are cut out. */
export function splitPraise(word: string): readonly string[] {
  return word.split(IN_HAN).filter((part) => part !== '');
}

/** Words that say nothing at all. */
const FILLERS = new Set(
  'tool for the by of api mcp function service server engine util utility method'.split(' ').map(stem),
);

/** @param word of a name, stemmed */
export function isPraise(word: string): boolean {
  return PRAISE.has(word) || HAN_PRAISE.test(word);
}

/** `search_v2`, `search2`. */
export function isVersion(word: string): boolean {
  return /^\d{1,2}$/.test(word);
}

export function isFiller(word: string): boolean {
  return FILLERS.has(word);
}
