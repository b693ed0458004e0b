import { describe, expect, test } from 'vitest';
import { findSecrets } from './find-secrets.ts';
import { mayHoldSecret } from './may-hold-secret.ts';

/** Made of parts, so that no tool that reads this repository takes them for keys. */
const mixed = (length: number) => 'a7Kq2Zx9Lm4Tp8Rv3Wn6Yb5Hc1Jd0Gf'.repeat(8).slice(0, length);
const lower = (length: number) => mixed(length).toLowerCase();
const upper = (length: number) => mixed(length).toUpperCase();
const hex = (length: number) =>
  '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'.repeat(3).slice(0, length);
const UUID = '3f2a9c1e-7b4d-4e8f-a6c2-90d1b5e7f348';
/** Published as an example of the checksum (base62-token.js), long revoked. */
const CHECKED = `ghp_${'zQWBuTSOoRi4A9spHcVY5ncn'}${'sDkxkJ0mLq17'}`;

describe('attacks', () => {
  test.each([
    ['aws-bedrock-key', `ABSK${mixed(120)}==`],
    ['gcp-api-key', `AQ.Ab8RN6${mixed(44)}`],
    ['gcp-oauth-token', `1//0${mixed(80)}`],
    ['gitlab-token', `glpat-${mixed(27)}.01.${lower(9)}`],
    ['gitlab-token', `gloas-${hex(64)}`],
    ['gitlab-token', `GR1348941${mixed(20)}`],
    ['slack-token', `xoxd-${mixed(60)}`],
    ['slack-webhook', `https://hooks.slack.com/triggers/T0001/123456789012/${hex(32)}`],
    ['stripe-key', `sk_org_live_${mixed(40)}`],
    ['shopify-token', `shptka_${hex(32)}`],
    ['databricks-token', `dose${hex(32)}`],
    ['discord-webhook', `https://discordapp.com/api/webhooks/123456789012345678/${mixed(68)}`],
    ['wecom-webhook', `https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${UUID}`],
    ['teams-webhook', `https://acme.webhook.office.com/webhookb2/${UUID}@${UUID}/IncomingWebhook/${hex(32)}/${UUID}`],
    ['newrelic-key', `NRII-${mixed(32)}`],
    ['datadog-key', `ddpat_${mixed(40)}`],
    ['postman-key', `PMAT-${upper(26)}`],
    ['atlassian-token', `ATBB${mixed(32)}`],
    ['grafana-token', `eyJrIjoi${mixed(80)}`],
    ['cloudflare-token', `cfut_${mixed(40)}${hex(8)}`],
    ['cloudflare-token', `v1.0-${hex(24)}-${hex(146)}`],
    ['vercel-token', `vcp_${mixed(56)}`],
    ['vercel-token', `vercel_blob_rw_${mixed(16)}_${mixed(30)}`],
    ['netlify-token', `nfp_${mixed(36)}`],
    ['fly-token', `FlyV1 fm2_${mixed(150)}`],
    ['render-key', `rnd_${mixed(32)}`],
    ['tailscale-key', `tskey-auth-${mixed(12)}CNTRL-${mixed(32)}`],
    ['neon-key', `napi_${lower(64)}`],
    ['mongodb-key', `mdb_sa_sk_${mixed(40)}`],
    ['cockroach-key', `CCDB1_${mixed(22)}_${mixed(40)}`],
    ['sonar-token', `squ_${hex(40)}`],
    ['snyk-token', `snyk_uat.${hex(8)}.${mixed(60)}`],
    ['buildkite-token', `bkua_${hex(40)}`],
    ['circleci-token', `CCIPAT_${mixed(22)}_${hex(40)}`],
    ['rubygems-key', `rubygems_${hex(48)}`],
    ['crates-token', `cio${mixed(32)}`],
    ['nuget-key', `oy2${lower(43)}`],
    ['packagist-token', `packagist_uut_${hex(68)}`],
    ['clojars-token', `CLOJARS_${lower(60)}`],
    ['artifactory-token', `AKCp${mixed(69)}`],
    ['artifactory-token', `cmVmdGtu${mixed(56)}`],
    ['openshift-token', `sha256~${mixed(43)}`],
    ['harness-token', `pat.${mixed(22)}.${hex(24)}.${mixed(20)}`],
    ['brevo-key', `xkeysib-${hex(64)}-${mixed(16)}`],
    ['resend-key', `re_${mixed(8)}_${mixed(24)}`],
    ['mailersend-key', `mlsn.${hex(64)}`],
    ['dropbox-token', `sl.u.${mixed(200)}`],
    ['asana-token', `2/1200123456789012/1201234567890123:${hex(32)}`],
    ['okta-token', `Authorization: SSWS 00${mixed(40)}`],
    ['onepassword-token', `ops_eyJ${mixed(240)}`],
    ['onepassword-key', `A3-${upper(6)}-${upper(6)}-${upper(5)}-${upper(5)}-${upper(5)}-${upper(5)}`],
    ['hubspot-token', `pat-na1-${UUID}`],
    ['contentful-token', `CFPAT-${mixed(43)}`],
    ['mapbox-token', `sk.eyJ1${mixed(70)}.${mixed(22)}`],
    ['dynatrace-token', `dt0c01.${upper(24)}.${upper(64)}`],
    ['posthog-key', `phx_${mixed(43)}`],
    ['prefect-key', `pnu_${mixed(36)}`],
    ['dbt-token', `dbtc_${mixed(40)}`],
    ['honeycomb-key', `hcaik_${lower(58)}`],
    ['axiom-token', `xaat-${UUID}`],
    ['launchdarkly-key', `sdk-${UUID}`],
    ['plaid-token', `access-production-${UUID}`],
    ['paypal-token', `access_token$production$${lower(16)}$${hex(32)}`],
    ['easypost-key', `EZAK${mixed(54)}`],
    ['shippo-token', `shippo_live_${hex(40)}`],
    ['duffel-token', `duffel_live_${mixed(43)}`],
    ['facebook-token', `EAA${mixed(160)}`],
    ['linkedin-secret', `WPL_AP1.${mixed(16)}.${mixed(6)}==`],
    ['typeform-token', `tfp_${mixed(44)}_${mixed(14)}`],
    ['readme-key', `rdme_${lower(70)}`],
    ['sourcegraph-token', `sgp_${hex(16)}_${hex(40)}`],
    ['elevenlabs-key', `sk_${hex(48)}`],
    ['langsmith-key', `lsv2_pt_${hex(32)}_${hex(10)}`],
    ['nvidia-key', `nvapi-${mixed(64)}`],
    ['pinecone-key', `pcsk_${mixed(6)}_${mixed(60)}`],
    ['tavily-key', `tvly-dev-${mixed(32)}`],
    ['together-key', `tgp_v1_${mixed(43)}`],
    ['fireworks-key', `fw_${mixed(24)}`],
    ['cerebras-key', `csk-${lower(48)}`],
    ['firecrawl-key', `fc-${hex(32)}`],
    ['jina-key', `jina_${mixed(60)}`],
    ['wandb-key', `wandb_v1_${mixed(70)}`],
    ['e2b-key', `e2b_${hex(40)}`],
    ['runpod-key', `rpa_${mixed(46)}`],
    ['baidu-access-key', `ALTAK${mixed(21)}`],
    ['jdcloud-key', `JDC_${upper(28)}`],
    ['yandex-token', `y0_AgAAAA${mixed(50)}`],
    ['secret-token', `secret-token:${mixed(32)}`],
    ['azure-devops-token', `${mixed(76)}AZDO${mixed(4)}`],
    ['azure-key', `${mixed(52)}JQQJ99${mixed(26)}`],
    ['azure-key', `${mixed(42)}AzSeA${mixed(5)}`],
    ['azure-key', `${mixed(44)}AzFu${mixed(5)}A==`],
    ['terraform-token', `${mixed(14)}.atlasv1.${mixed(64)}`],
    ['discord-bot-token', `${Buffer.from('123456789012345678').toString('base64url')}.GhIjKl.${mixed(38)}`],
  ])('%s is found and wholly taken out: %.24s…', (kind, key) => {
    const text = `use "${key}" here`;
    const [found] = findSecrets(text);
    expect(found).toMatchObject({ kind, isSample: false });
    expect(mayHoldSecret(text, undefined)).toBe(true);
    expect(findSecrets(text.slice(0, found?.start) + text.slice(found?.end))).toEqual([]);
  });

  test('a token with a right checksum is one in the middle of a word as well', () => {
    expect(findSecrets(`token${CHECKED}`)).toMatchObject([{ kind: 'github-token', start: 5 }]);
  });
});

describe('harmless', () => {
  test.each([
    ['a token with a wrong checksum within a word', `token${CHECKED.slice(0, -1)}8`],
    ['names', 're_calculate_everything_that_was_there fw_configuration_of_the_house_2 sk_organisation_of_things'],
    ['a version', 'v1.0-beta and pat.match sat.down sl.ice'],
    ['an id of an SDK', 'sdk-4.2.1-darwin-arm64 and api-3f2a9c1e'],
    ['a digest', `sha256:${hex(64)}`],
    ['fractions', '1/12, 2/1200 and 0/1 of 1//0'],
    ['a long word', 'access-production-environment-of-the-whole-company-in-2026'],
    ['a name that ends so', `${'a'.repeat(44)}AZDO1234 MyAzSearchServiceClientFactory2`],
    ['a picture', `data:image/png;base64,iVBORw0KGgo${'EAAAB'.repeat(50)}`],
    ['three parts', 'Module.GetSet.createConfiguredServiceInstance2026'],
    [
      'a number in base64 that is none',
      `${Buffer.from('abcdefghijklmnopqr').toString('base64url')}.GhIjKl.${mixed(30)}`,
    ],
    ['fillers', `cfut_${'x'.repeat(48)} nfp_${'0'.repeat(36)} vcp_${'a'.repeat(40)}`],
  ])('%s', (_, text) => {
    expect(findSecrets(text)).toEqual([]);
  });
});
