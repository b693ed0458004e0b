// The person and the operator of the authorization scenarios: signs in whenever Sallyport says that somebody must, and
// gives a Sallyport the credentials the suite hands out. What discovers, registers, checks and keeps is Sallyport.
import { openCredentials } from '../../dist/call/open-credentials.js';
import { login } from '../../dist/upstream/auth/login.js';
import { toAuthTarget } from '../../dist/upstream/auth/surroundings.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
/** Sign-ins for one scenario: a server that is never content must not be asked for ever. */
const maxSignIns = 2;

/** What an operator would write into the configuration for this scenario. */
export async function toAuth(scenario, url) {
  const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
  const clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';
  const client = async () => {
    process.env.CONFORMANCE_SECRET = context.client_secret ?? '';
    process.env.CONFORMANCE_KEY = context.private_key_pem ?? '';
    process.env.CONFORMANCE_ASSERTION = context.idp_id_token ?? context.valid_jwt ?? '';
    return {
      clientId: context.client_id,
      ...(context.client_secret === undefined ? {} : { clientSecretRef: 'env:CONFORMANCE_SECRET' }),
      ...(context.private_key_pem === undefined ? {} : { privateKeyRef: 'env:CONFORMANCE_KEY' }),
      issuer: context.issuer ?? (await findIssuer(url)),
    };
  };
  if (scenario.startsWith('auth/client-credentials-')) return { type: 'client_credentials', ...(await client()) };
  if (scenario === 'auth/pre-registration') return { type: 'oauth', redirectPort: 0, ...(await client()) };
  const assertionRef = 'env:CONFORMANCE_ASSERTION';
  // The old suite knows it by its old name.
  if (scenario === 'auth/enterprise-managed-authorization' || scenario === 'auth/cross-app-access-complete-flow') {
    const idp = { issuer: context.idp_issuer, clientId: context.idp_client_id, assertionRef };
    return { type: 'enterprise', tokens: 'shared', idp, ...(await client()) };
  }
  if (scenario === 'auth/wif-jwt-bearer') return { type: 'workload_identity', assertionRef, ...(await client()) };
  if (scenario === 'auth/2025-03-26-oauth-endpoint-fallback')
    return { type: 'oauth', redirectPort: 0, defaultEndpoints: true };
  return { type: 'oauth', redirectPort: 0, clientMetadataUrl };
}

/** Credentials come from a registration at one issuer, whose name came with them; the suite leaves it out. */
async function findIssuer(url) {
  const { origin, pathname } = new URL(url);
  const reply = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`);
  return (await reply.json()).authorization_servers[0];
}

/** Runs `work` until it needs no person any more. */
export async function withSignIns({ settings, stateDir }, work) {
  for (let signIns = 0; ; signIns++) {
    try {
      return await work();
    } catch (error) {
      if (signIns >= maxSignIns || !/sallyport login/.test(String(error?.message ?? error))) throw error;
      await signIn(settings, stateDir);
    }
  }
}

async function signIn(settings, stateDir) {
  const clock = { now: () => Date.now() };
  const credentials = openCredentials({ stateDir, keyRef: () => undefined, env: process.env, clock, log: silent });
  try {
    const target = toAuthTarget(settings);
    const show = async (url) => {
      const reply = await fetch(url, { redirect: 'manual' });
      await fetch(reply.headers.get('location'));
    };
    const signal = AbortSignal.timeout(10_000);
    await login({ target, owner: 'local', ports: credentials.ports, show, signal });
  } finally {
    await credentials.close();
  }
}
