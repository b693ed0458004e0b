/** What is refused for now is let in again when a request in flight has ended, which is soon. */
const SOON: Readonly<Record<string, string>> = Object.freeze({ 'retry-after': '1' });

/** When a client may come back after being told that there is too much to do (RFC 9110 section 10.2.3, RFC 6585 section 4). */
export function retryHeaders(status: number): Readonly<Record<string, string>> | undefined {
  return status === 429 || status === 503 ? SOON : undefined;
}
