import { hasTokenSum, isFiller, toEntropy } from './checks.ts';

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
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/**
 * Lengths are lower bounds where the provider's own is longer: a token that was cut or is of next year's length is still one.
 * Sources: the providers' documents on token formats, and GitHub's list of secret scanning patterns.
 */
export const PROVIDER_KEYS: readonly ProviderKey[] = [
  key('aws-access-key', 'AKIA ASIA ABIA ACCA', '[A-Z0-9]{16}(?![A-Za-z0-9])'),
  key('aws-bedrock-key', 'ABSK bedrock-api-key-', '[A-Za-z0-9+/]{100,2048}={0,2}'),
  key('gcp-api-key', 'AIza', `${WORD}{30,40}`),
  key('gcp-api-key', 'AQ.Ab', `${WORD}{30,80}`, hasDigit),
  key('gcp-oauth-token', 'ya29.', `${WORD}{20,2048}`),
  key('gcp-oauth-token', '1//0', `${WORD}{40,120}`, isRandomRun),
  key('gcp-client-secret', 'GOCSPX-', `${WORD}{24,40}`),
  key('azure-storage-key', 'AccountKey= SharedAccessKey=', '[A-Za-z0-9+/]{40,90}={0,2}'),
  key('azure-sas', '&sig= ?sig=', '[A-Za-z0-9%+/]{43,90}(?:=|%3D){0,2}'),
  key('github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', `${ALNUM}{20,255}`),
  key('github-token', 'github_pat_', '[A-Za-z0-9_]{22,255}'),
  key(
    'gitlab-token',
    'glpat- gldt- glrt- glrtr- glptt- glcbt- glft- glffct- glsoat- gloas- glimt- glagent- glwt-',
    `${WORD}{16,300}(?:\\.[0-9a-z]{2}\\.?[0-9a-z]{7,9}(?![A-Za-z0-9]))?`,
  ),
  key('gitlab-token', 'GR1348941', `${WORD}{20}`),
  key('slack-token', 'xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-', `${WORD}{10,255}`),
  key(
    'slack-webhook',
    'hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/',
    '[A-Za-z0-9/]{30,90}',
  ),
  key('stripe-key', 'sk_live_ sk_test_ rk_live_ rk_test_ sk_org_live_ sk_org_test_', '[A-Za-z0-9_]{10,255}'),
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
  key('shopify-token', 'shpat_ shpca_ shppa_ shpss_ shptka_', '[0-9a-fA-F]{32}'),
  key('square-token', 'sq0atp- sq0csp- EAAAE EAAAl', `${WORD}{22,90}`, hasDigit),
  key('databricks-token', 'dapi dose', `${HEX}{32}(?:-\\d)?(?![A-Za-z0-9])`),
  key('grafana-token', 'glsa_ glc_', '[A-Za-z0-9_+/=]{32,400}'),
  key('grafana-token', 'eyJrIjoi', `${ALNUM}{60,400}={0,2}`),
  key('linear-key', 'lin_api_ lin_oauth_', `${ALNUM}{32,64}`),
  key('notion-token', 'ntn_', `${ALNUM}{40,60}`),
  key('notion-token', 'secret_', `${ALNUM}{43}(?![A-Za-z0-9])`),
  key('vault-token', 'hvs. hvb. hvr.', `${WORD}{24,255}`),
  key('doppler-token', 'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', '[A-Za-z0-9._-]{40,90}'),
  key('discord-webhook', 'discord.com/api/webhooks/ discordapp.com/api/webhooks/', `\\d{15,22}/${WORD}{50,90}`),
  key('dingtalk-webhook', 'oapi.dingtalk.com/robot/send?access_token=', `${HEX}{64}`),
  key(
    'feishu-webhook',
    'open.feishu.cn/open-apis/bot/v2/hook/ open.larksuite.com/open-apis/bot/v2/hook/',
    `${HEX}{8}-[0-9a-f-]{27}`,
  ),
  key('wecom-webhook', 'qyapi.weixin.qq.com/cgi-bin/webhook/send?key=', UUID),
  key('teams-webhook', 'webhook.office.com/webhookb2/', `[0-9a-f@-]{36,80}/IncomingWebhook/${HEX}{32}`),
  key('newrelic-key', 'NRAK-', '[A-Z0-9]{27}'),
  key('newrelic-key', 'NRII- NRIQ- NRRA- NRSP-', `${WORD}{27,40}`, hasDigit),
  key('datadog-key', 'ddpat_ ddap_', `${WORD}{30,80}`, hasDigit),
  key('pulumi-token', 'pul-', `${HEX}{40}(?![A-Za-z0-9])`),
  key('figma-token', 'figd_', `${WORD}{40,60}`),
  key('postman-key', 'PMAK-', `${HEX}{24}-${HEX}{34}`),
  key('planetscale-token', 'pscale_tkn_ pscale_pw_ pscale_oauth_', '[A-Za-z0-9._-]{32,64}'),
  key('sentry-token', 'sntrys_ sntryu_', '[A-Za-z0-9_+/=]{40,400}'),
  key('postman-key', 'PMAT-', '[A-Z0-9]{26}', hasDigit),
  key('supabase-token', 'sbp_ sb_secret_', `[A-Za-z0-9_-]{30,64}`),
  key('atlassian-token', 'ATATT3 ATCTT3', `[A-Za-z0-9_=-]{60,255}`),
  key('atlassian-token', 'ATBB', `${ALNUM}{24,40}(?![A-Za-z0-9])`, isMixedKey),
  key('docker-token', 'dckr_pat_ dckr_oat_', `${WORD}{20,60}`),
  key('heroku-key', 'HRKU-', `${WORD}{36,64}`),
  key('airtable-token', 'pat', `${ALNUM}{14}\\.${HEX}{64}`),
  key('cloudflare-token', 'cfk_ cfut_ cfat_', `${ALNUM}{40}${HEX}{8}(?![A-Za-z0-9])`),
  key('cloudflare-token', 'v1.0-', `${HEX}{24}-${HEX}{146}`),
  key('vercel-token', 'vcp_ vci_ vca_ vcr_ vck_', `${ALNUM}{24,90}(?![A-Za-z0-9])`, isMixedKey),
  key('vercel-token', 'vercel_blob_rw_', '[A-Za-z0-9_]{30,90}', isMixedKey),
  key('netlify-token', 'nfp_ nfc_ nfo_', `${ALNUM}{36,40}(?![A-Za-z0-9])`),
  key('fly-token', 'fm1r_ fm1a_ fm2_', '[A-Za-z0-9+/=_,-]{100,4096}'),
  key('fly-token', 'fo1_', `${WORD}{43}(?![A-Za-z0-9])`),
  key('render-key', 'rnd_', `${ALNUM}{28,40}(?![A-Za-z0-9])`, isMixedKey),
  key('tailscale-key', 'tskey-', `[a-z]{2,12}-${ALNUM}{8,40}-${ALNUM}{16,64}`, hasDigit),
  key('neon-key', 'napi_', '[a-z0-9]{60,70}(?![A-Za-z0-9])', hasDigit),
  key('mongodb-key', 'mdb_sa_sk_', `${WORD}{40,50}`, hasDigit),
  key('cockroach-key', 'CCDB1_', '[A-Za-z0-9_]{60,70}'),
  key('sonar-token', 'sqp_ sqa_ squ_', `${HEX}{40}(?![A-Za-z0-9])`),
  key('snyk-token', 'snyk_uat. snyk_sat.', '[A-Za-z0-9._-]{40,200}'),
  key('buildkite-token', 'bkua_ bkat_ bkct_', `${ALNUM}{40,80}`),
  key('circleci-token', 'CCIPAT_ CCIPRJ_', '[A-Za-z0-9_]{40,90}'),
  key('rubygems-key', 'rubygems_', `${HEX}{48}`),
  key('crates-token', 'cio', `${ALNUM}{32}(?![A-Za-z0-9])`, isMixedKey),
  key('nuget-key', 'oy2', '[a-z0-9]{43}(?![A-Za-z0-9])', hasDigit),
  key('packagist-token', 'packagist_', `[ou][ru]t_${HEX}{68}`),
  key('clojars-token', 'CLOJARS_', '[a-z0-9]{60}'),
  key('artifactory-token', 'AKCp', `${ALNUM}{60,80}(?![A-Za-z0-9])`),
  key('artifactory-token', 'cmVmdGtu', `${ALNUM}{56}(?![A-Za-z0-9])`),
  key('openshift-token', 'sha256~', `${WORD}{43}(?![A-Za-z0-9])`),
  key('harness-token', 'pat. sat.', `${ALNUM}{22}\\.[0-9a-f]{24}\\.${ALNUM}{20}`),
  key('brevo-key', 'xkeysib- xsmtpsib-', `${HEX}{64}-${ALNUM}{16}`),
  key('resend-key', 're_', `${ALNUM}{8}_${ALNUM}{24}(?![A-Za-z0-9])`, isMixedKey),
  key('mailersend-key', 'mlsn.', `${HEX}{64}`),
  key('dropbox-token', 'sl.', `(?:u\\.)?${WORD}{120,2048}`, hasDigit),
  key('asana-token', '0/1 1/1 2/1', `\\d{12,17}(?:/\\d{12,17})?:${HEX}{32}`),
  key('okta-token', 'SSWS 00', `${WORD}{40}(?![A-Za-z0-9])`),
  key('onepassword-token', 'ops_eyJ', '[A-Za-z0-9+/_=-]{200,4096}'),
  key('onepassword-key', 'A3-', '[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}', hasDigit),
  key('hubspot-token', 'pat-na1- pat-na2- pat-na3- pat-eu1- pat-ap1-', UUID),
  key('contentful-token', 'CFPAT-', `${WORD}{43}`),
  key('mapbox-token', 'sk.eyJ1', '[A-Za-z0-9_.-]{60,200}'),
  key('dynatrace-token', 'dt0c01. dt0s01. dt0s02. dt0s16.', '[A-Z0-9]{8,24}\\.[A-Z0-9]{64}'),
  key('posthog-key', 'phx_', `${WORD}{32,64}`, isMixedKey),
  key('prefect-key', 'pnu_ pnb_', `${ALNUM}{36}(?![A-Za-z0-9])`, hasDigit),
  key('dbt-token', 'dbtc_ dbtu_', `${WORD}{30,60}`, isMixedKey),
  key('honeycomb-key', 'hcaik_ hcbik_ hcalk_', `${ALNUM}{50,64}`),
  key('axiom-token', 'xaat- xapt-', UUID),
  key('launchdarkly-key', 'sdk-', `${UUID}(?![A-Za-z0-9-])`),
  key('plaid-token', 'access-sandbox- access-development- access-production-', UUID),
  key('paypal-token', 'access_token$production$', `[0-9a-z]{16}\\$${HEX}{32}`),
  key('easypost-key', 'EZAK EZTK', `${ALNUM}{54}(?![A-Za-z0-9])`, hasDigit),
  key('shippo-token', 'shippo_live_ shippo_test_', `${HEX}{40}`),
  key('duffel-token', 'duffel_live_ duffel_test_', `${WORD}{43}`),
  key('facebook-token', 'EAA', `${ALNUM}{90,400}(?![A-Za-z0-9])`, isMixedKey),
  key('linkedin-secret', 'WPL_AP1.', '[A-Za-z0-9=.]{16,40}', hasDigit),
  key('typeform-token', 'tfp_', '[A-Za-z0-9_.-]{40,70}', isMixedKey),
  key('readme-key', 'rdme_', '[a-z0-9]{70}', hasDigit),
  key('sourcegraph-token', 'sgp_', '[A-Za-z0-9_]{40,64}(?![A-Za-z0-9])', hasDigit),
  key('elevenlabs-key', 'sk_', `${HEX}{48}(?![A-Za-z0-9])`),
  key('langsmith-key', 'lsv2_pt_ lsv2_sk_', `${HEX}{32}_${HEX}{10}`),
  key('nvidia-key', 'nvapi-', `${WORD}{60,80}`, hasDigit),
  key('pinecone-key', 'pcsk_', '[A-Za-z0-9_]{50,90}', isMixedKey),
  key('tavily-key', 'tvly-', `${WORD}{24,64}`, isRandomRun),
  key('together-key', 'tgp_v1_', `${WORD}{40,64}`, hasDigit),
  key('fireworks-key', 'fw_', `${ALNUM}{22,30}(?![A-Za-z0-9_])`, isMixedKey),
  key('cerebras-key', 'csk-', '[a-z0-9]{40,60}(?![A-Za-z0-9])', hasDigit),
  key('firecrawl-key', 'fc-', `${HEX}{32}(?![A-Za-z0-9])`),
  key('jina-key', 'jina_', `${WORD}{50,70}`, hasDigit),
  key('wandb-key', 'wandb_v1_', `${WORD}{40,90}`, isMixedKey),
  key('e2b-key', 'e2b_', `${HEX}{40}`),
  key('runpod-key', 'rpa_', `${ALNUM}{40,60}(?![A-Za-z0-9])`, isMixedKey),
  key('baidu-access-key', 'ALTAK', `${ALNUM}{16,30}(?![A-Za-z0-9])`, hasDigit),
  key('jdcloud-key', 'JDC_', '[A-Z0-9]{25,40}(?![A-Za-z0-9])', hasDigit),
  key('yandex-token', 'y0_Ag AQVN', `${WORD}{35,80}`, isMixedKey),
  // RFC 8959: whoever gives it out says so.
  key('secret-token', 'secret-token:', '[A-Za-z0-9._~%-]{16,256}', isRandomRun),
  key('age-key', 'AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1', '[0-9A-Z]{58}'),
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

const CHECKED = /(?:gh[opsu]|npm)_[A-Za-z0-9]{36}(?![A-Za-z0-9])/y;

/** A token of GitHub or npm with a right checksum begins here: what stands before it does not matter then. */
export function isCheckedKey(text: string, start: number): boolean {
  CHECKED.lastIndex = start;
  const token = CHECKED.exec(text)?.[0];
  return token !== undefined && hasTokenSum(token.slice(4));
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
