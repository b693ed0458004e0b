/** What kind of harm a secret does in the wrong hands. `marked`: fields a schema calls sensitive; `custom`: patterns of the operator's own. */
export const SECRET_GROUPS = [
  'credentials',
  'financial',
  'wallets',
  'identity',
  'contact',
  'network',
  'marked',
  'custom',
] as const;

export type SecretGroup = (typeof SECRET_GROUPS)[number];

/** Every kind the detectors of `guard/secrets` know. A rule about any other would never match, so it is refused. */
export const SECRET_KINDS: ReadonlySet<string> = new Set(
  `aws-access-key aws-secret-key gcp-api-key gcp-oauth-token gcp-client-secret azure-storage-key azure-sas azure-client-secret
  github-token gitlab-token slack-token slack-webhook stripe-key stripe-webhook-secret anthropic-key openai-key groq-key xai-key
  perplexity-key huggingface-token replicate-token npm-token pypi-token twilio-key sendgrid-key mailgun-key digitalocean-token
  aliyun-access-key tencent-secret-id volcengine-key shopify-token square-token databricks-token grafana-token linear-key
  notion-token vault-token doppler-token discord-webhook dingtalk-webhook feishu-webhook newrelic-key pulumi-token figma-token
  postman-key planetscale-token sentry-token supabase-token atlassian-token docker-token heroku-key airtable-token age-key
  aws-bedrock-key wecom-webhook teams-webhook datadog-key cloudflare-token vercel-token netlify-token fly-token
  render-key tailscale-key neon-key mongodb-key cockroach-key sonar-token snyk-token buildkite-token circleci-token
  rubygems-key crates-token nuget-key packagist-token clojars-token artifactory-token openshift-token harness-token
  brevo-key resend-key mailersend-key dropbox-token asana-token okta-token onepassword-token onepassword-key
  hubspot-token contentful-token mapbox-token dynatrace-token posthog-key prefect-key dbt-token honeycomb-key
  axiom-token launchdarkly-key plaid-token paypal-token easypost-key shippo-token duffel-token facebook-token
  linkedin-secret typeform-token readme-key sourcegraph-token elevenlabs-key langsmith-key nvidia-key pinecone-key
  tavily-key together-key fireworks-key cerebras-key firecrawl-key jina-key wandb-key e2b-key runpod-key
  baidu-access-key jdcloud-key yandex-token secret-token azure-devops-token azure-key terraform-token discord-bot-token
  hd-wallet-key telegram-bot-token private-key jwt connection-password bearer-token basic-credentials password named-secret
  wallet-key seed-phrase card-number iban wallet-address us-ssn cn-resident-id cn-phone phone-number mail-address
  private-address sensitive-field`.split(/\s+/),
);
