// Every way Sallyport itself can fail, with the codes it answers, from the built failure table and the gateway's own choice of status.
export const page = 'docs/gateway.md';

const MEANINGS = {
  usage: 'the command line, or `_meta` of a modern request, is not as it must be',
  config: 'the configuration file, a state file or the port',
  internal: 'a defect; the log has the cause',
  parse: 'the message is no JSON: invalid UTF-8, too deep, a key twice',
  invalid_request: 'the message is JSON and no request that can be served here',
  invalid_params:
    'a parameter is missing or wrong: unknown tool, prompt or task, a foreign cursor, a used `requestState`',
  method_not_found: 'nobody here knows the method',
  not_found: 'nothing at this path; no server of this name',
  resource_not_found: 'no server has this resource',
  header_mismatch: 'a header of a modern request differs from the body',
  missing_capability: 'the server asked something the client did not declare',
  unsupported_version: 'a modern revision that Sallyport does not speak; `data.supported` lists those it does',
  unauthenticated: 'no key, or a wrong one',
  forbidden: 'the `Host` or `Origin` header is not allowed',
  denied: 'a guard refused (command line; over MCP the model reads a tool error)',
  schema: 'arguments do not fit the schema (command line; over MCP the model reads a tool error)',
  session_not_found: 'the session ended, expired, belongs to another endpoint, or never was',
  media_type: 'the body is not `application/json`',
  not_acceptable: '`Accept` allows no form of answer',
  conflict: 'the session has its GET stream already',
  too_large: 'body or headers above their limit',
  too_many: 'this client has too many requests in flight',
  not_ready: 'the one server of this endpoint was never reached, so there is nothing to introduce',
  overloaded: 'too many requests, sessions or waiting callers',
  unrecorded: 'the audit cannot be written, so nothing is done; see [audit](audit.md)',
  draining: 'Sallyport is ending',
  unreachable: 'the upstream cannot be reached, keeps ending, or its breaker is open',
  upstream_unauthenticated: 'the upstream wants credentials that are missing or wrong',
  upstream_protocol: 'the upstream answered something that is no MCP',
  timeout: 'the upstream did not answer in time',
  cancelled: 'the client cancelled, or Ctrl-C',
};

/** name of the section -> its text. */
export async function sections() {
  const { FAILURES, FaultError } = await import('../packages/sallyport/dist/core/errors.js');
  const { toStatus } = await import('../packages/sallyport/dist/gateway/to-response.js');
  const { faultStatus } = await import('../packages/sallyport/dist/gateway/modern-call.js');
  const rows = Object.entries(FAILURES).map(([code, { rpc, exit, retryable }]) => {
    const meaning = MEANINGS[code];
    if (meaning === undefined) throw new Error(`scripts/docs-errors.mjs does not say what "${code}" means`);
    const fault = new FaultError(code, '');
    return `| \`${code}\` | ${meaning} | ${rpc} | ${toStatus(fault)} | ${faultStatus(fault)} | ${exit} | ${retryable ? 'yes' : ''} |`;
  });
  const head = [
    '| Failure | What | JSON-RPC | HTTP, legacy | HTTP, modern | Exit code | Try again |',
    '| --- | --- | --- | --- | --- | --- | --- |',
  ];
  return new Map([['errors', [...head, ...rows].join('\n')]]);
}
