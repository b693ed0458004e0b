import { isFiller, toEntropy } from './checks.ts';

/** A form of key or token that begins with the mark of who gave it out. */
export interface ProviderKey {
  readonly kind: string;
  /** What it begins with, as written; one of them. */
  readonly marks: readonly string[];
  /** What stands after the mark: which characters, and how many at least. */
  readonly rest: string;
  /** More than the form can say. */
  readonly check?: (value: string) => boolean;
}

const HEX = '[0-9a-f]';
const WORD = '[A-Za-z0-9_-]';
const ALNUM = '[A-Za-z0-9]';

/**
 * Lengths are lower bounds where the provider's own is longer: a token that was cut or is of next year's length is still one.
 * Sources: the providers' documents on token formats, and GitHub's list of secret scanning patterns.
 */
export const PROVIDER_KEYS: readonly ProviderKey[] = [
  key('aws-access-key', 'AKIA ASIA ABIA ACCA', '[A-Z0-9]{16}(?![A-Za-z0-9])'),
  key('gcp-api-key', 'AIza', `${WORD}{30,40}`),
  key('gcp-oauth-token', 'ya29.', `${WORD}{20,2048}`),
  key('gcp-client-secret', 'GOCSPX-', `${WORD}{24,40}`),
  key('azure-storage-key', 'AccountKey= SharedAccessKey=', '[A-Za-z0-9+/]{40,90}={0,2}'),
  key('azure-sas', '&sig= ?sig=', '[A-Za-z0-9%+/]{43,90}(?:=|%3D){0,2}'),
  key('github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', `${ALNUM}{20,255}`),
  key('github-token', 'github_pat_', '[A-Za-z0-9_]{22,255}'),
  key('gitlab-token', 'glpat- gldt- glrt- glptt- glcbt- glft- glsoat- glimt- glagent-', `${WORD}{16,255}`),
  key('slack-token', 'xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-', `${WORD}{10,255}`),
  key('slack-webhook', 'hooks.slack.com/services/', '[A-Za-z0-9/]{30,90}'),
  key('stripe-key', 'sk_live_ sk_test_ rk_live_ rk_test_', '[A-Za-z0-9_]{10,255}'),
  key('stripe-webhook-secret', 'whsec_', '[A-Za-z0-9+/=]{24,90}'),
  key('anthropic-key', 'sk-ant-', `${WORD}{20,255}`),
  key('openai-key', 'sk-proj- sk-svcacct- sk-admin- sk-test- sk-live- sk-or-', `${WORD}{16,255}`, hasDigit),
  key('openai-key', 'sk-', `${WORD}{20,255}`, isRandomRun),
  key('groq-key', 'gsk_', `${ALNUM}{40,90}`),
  key('xai-key', 'xai-', `${ALNUM}{40,120}`, hasDigit),
  key('perplexity-key', 'pplx-', `${ALNUM}{40,90}`),
  key('huggingface-token', 'hf_ api_org_', `${ALNUM}{30,60}`),
  key('replicate-token', 'r8_', `${ALNUM}{37,40}`),
  key('npm-token', 'npm_', `${ALNUM}{30,60}`),
  key('pypi-token', 'pypi-AgEI pypi-AgEN', `${WORD}{30,255}`),
  key('twilio-key', 'SK', `${HEX}{32}(?![A-Za-z0-9])`),
  key('sendgrid-key', 'SG.', `${WORD}{16,32}\\.${WORD}{16,64}`),
  key('mailgun-key', 'key-', `${HEX}{32}(?![A-Za-z0-9])`),
  key('digitalocean-token', 'dop_v1_ doo_v1_ dor_v1_', `${HEX}{64}`),
  key('aliyun-access-key', 'LTAI', `${ALNUM}{12,26}(?![A-Za-z0-9])`, hasDigit),
  key('tencent-secret-id', 'AKID', `${ALNUM}{32,40}(?![A-Za-z0-9])`, hasDigit),
  key('volcengine-key', 'AKLT', `${ALNUM}{30,60}(?![A-Za-z0-9])`, hasDigit),
  key('shopify-token', 'shpat_ shpca_ shppa_ shpss_', '[0-9a-fA-F]{32}'),
  key('square-token', 'sq0atp- sq0csp- EAAAE EAAAl', `${WORD}{22,90}`, hasDigit),
  key('databricks-token', 'dapi', `${HEX}{32}(?:-\\d)?(?![A-Za-z0-9])`),
  key('grafana-token', 'glsa_ glc_', '[A-Za-z0-9_+/=]{32,400}'),
  key('linear-key', 'lin_api_ lin_oauth_', `${ALNUM}{32,64}`),
  key('notion-token', 'ntn_', `${ALNUM}{40,60}`),
  key('notion-token', 'secret_', `${ALNUM}{43}(?![A-Za-z0-9])`),
  key('vault-token', 'hvs. hvb. hvr.', `${WORD}{24,255}`),
  key('doppler-token', 'dp.pt. dp.st. dp.ct. dp.sa.', '[A-Za-z0-9._-]{40,90}'),
  key('discord-webhook', 'discord.com/api/webhooks/', `\\d{15,22}/${WORD}{50,90}`),
  key('dingtalk-webhook', 'oapi.dingtalk.com/robot/send?access_token=', `${HEX}{64}`),
  key('feishu-webhook', 'open.feishu.cn/open-apis/bot/v2/hook/', `${HEX}{8}-[0-9a-f-]{27}`),
  key('newrelic-key', 'NRAK-', '[A-Z0-9]{27}'),
  key('pulumi-token', 'pul-', `${HEX}{40}(?![A-Za-z0-9])`),
  key('figma-token', 'figd_', `${WORD}{40,60}`),
  key('postman-key', 'PMAK-', `${HEX}{24}-${HEX}{34}`),
  key('planetscale-token', 'pscale_tkn_ pscale_pw_ pscale_oauth_', '[A-Za-z0-9._-]{32,64}'),
  key('sentry-token', 'sntrys_ sntryu_', '[A-Za-z0-9_+/=]{40,400}'),
  key('supabase-token', 'sbp_ sb_secret_', `[A-Za-z0-9_-]{30,64}`),
  key('atlassian-token', 'ATATT3 ATCTT3', `[A-Za-z0-9_=-]{60,255}`),
  key('docker-token', 'dckr_pat_ dckr_oat_', `${WORD}{20,60}`),
  key('heroku-key', 'HRKU-', `${WORD}{36,64}`),
  key('airtable-token', 'pat', `${ALNUM}{14}\\.${HEX}{64}`),
  key('age-key', 'AGE-SECRET-KEY-1', '[0-9A-Z]{58}'),
  key('hd-wallet-key', 'xprv yprv zprv', '[1-9A-HJ-NP-Za-km-z]{100,112}'),
];

function key(kind: string, marks: string, rest: string, check?: (value: string) => boolean): ProviderKey {
  return check === undefined ? { kind, marks: marks.split(' '), rest } : { kind, marks: marks.split(' '), rest, check };
}

function hasDigit(value: string): boolean {
  return /\d/.test(value);
}

/** Names such as `sk-learn-style-pipeline-for-…` are words; a key has a long run without a dash, with digits in it. */
function isRandomRun(value: string): boolean {
  return /[A-Za-z0-9]{16}/.test(value) && /\d/.test(value);
}

interface Form {
  readonly kind: string;
  readonly pattern: RegExp;
  readonly check: ((value: string) => boolean) | undefined;
}

/** Longer marks first: `sk-ant-` before `sk-`. */
const MARKS = PROVIDER_KEYS.flatMap(({ marks }) => marks).sort((a, b) => b.length - a.length);

const FORMS: ReadonlyMap<string, readonly Form[]> = new Map(
  MARKS.map((mark) => [
    mark,
    PROVIDER_KEYS.filter(({ marks }) => marks.includes(mark)).map(({ kind, rest, check }) => ({
      kind,
      pattern: new RegExp(rest, 'y'),
      check,
    })),
  ]),
);

export const PROVIDER_MARKS: readonly string[] = MARKS;

/** The key that begins with this mark at this place; `undefined`: what follows is none. */
export function readProviderKey(
  text: string,
  mark: string,
  start: number,
): { readonly kind: string; readonly end: number } | undefined {
  for (const { kind, pattern, check } of FORMS.get(mark) ?? []) {
    pattern.lastIndex = start + mark.length;
    const found = pattern.exec(text);
    if (found === null || isFiller(found[0]) || check?.(found[0]) === false) continue;
    return { kind, end: pattern.lastIndex };
  }
  return undefined;
}

/** A line break, written as one or as `\\n`, or two string literals that are joined. */
const BREAK = /[ \t]{0,8}\\?(?:\r?\n|\\n)[ \t]{0,32}["'+]{0,2}|["'`][ \t]{0,4}\+[ \t]{0,4}(?:\r?\n[ \t]{0,32})?["'`]/y;
const PIECE = /[A-Za-z0-9_.-]{2,128}/y;
const MAX_LINES = 6;

/** A key that is broken over lines, or put together from literals. */
export function readBrokenKey(
  text: string,
  mark: string,
  start: number,
): { readonly kind: string; readonly end: number } | undefined {
  let whole = '';
  let at = start;
  for (let line = 0; line < MAX_LINES; line++) {
    PIECE.lastIndex = at;
    const piece = PIECE.exec(text)?.[0];
    if (piece === undefined) return undefined;
    whole += piece;
    at += piece.length;
    const key = line === 0 ? undefined : readProviderKey(whole, mark, 0);
    // Words of the next line are no part of a key: the whole must be as mixed as keys are.
    if (key !== undefined && key.end > whole.length - piece.length && isMixedKey(whole.slice(mark.length, key.end)))
      return { kind: key.kind, end: at - (whole.length - key.end) };
    BREAK.lastIndex = at;
    if (!BREAK.test(text)) return undefined;
    at = BREAK.lastIndex;
  }
  return undefined;
}

/** Digits and capitals, and no more order than chance leaves. */
export function isMixedKey(value: string): boolean {
  return /\d/.test(value) && /[A-Z]/.test(value) && toEntropy(value) >= 3;
}
