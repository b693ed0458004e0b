import { decode } from './addresses.ts';

const CLIMB = /(?:^|[\\/])\.\.(?:[\\/]|$)/;
/** Encodings of dot and slash that decode to a step up: percent, twice percent, overlong UTF-8, IIS Unicode, full-width. */
const OVERLONG =
  /%(?:25)?c0%(?:25)?a[ef]|%(?:25)?e0%(?:25)?80%(?:25)?a[ef]|%u(?:ff0e|2215|2216|002e|002f)|[．。]{2}[／＼/\\]/i;
const MAX_ROUNDS = 4;

/** A step up that is written so that a check for `../` does not see it. No program writes one by itself. */
export function hasEncodedClimb(path: string): boolean {
  if (OVERLONG.test(path)) return true;
  if (!path.includes('%')) return false;
  let at = path;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const decoded = decode(at);
    if (decoded === at) return false;
    // Decoded it climbs, and as written it did not.
    if (CLIMB.test(decoded) && climbs(decoded) !== climbs(at)) return true;
    at = decoded;
  }
  return false;
}

/** How often a path steps up. */
function climbs(path: string): number {
  return path.split(/[\\/]/).filter((step) => step === '..').length;
}

/** How far a path leads above where it starts; of an absolute one above its first directory. */
export function climbsOut(path: string): number {
  if (!path.includes('..')) return 0;
  // Filters that take `../` out once leave one where `....//` stood.
  if (/(?:^|[\\/])\.{4,}[\\/]{2}/.test(path)) return Number.POSITIVE_INFINITY;
  const isAbsolute = /^(?:[A-Za-z]:)?[\\/]/.test(path);
  let depth = 0;
  let lowest = 0;
  for (const step of path.split(/[\\/]/)) {
    if (step === '' || step === '.') continue;
    depth += step === '..' ? -1 : 1;
    lowest = Math.min(lowest, isAbsolute ? depth - 1 : depth);
  }
  return -lowest;
}

/** An absolute path without its steps up. */
function toPlainPath(path: string): string {
  const steps: string[] = [];
  for (const step of path.split(/[\\/]/)) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return `/${steps.join('/')}`;
}

/** Whether an absolute path lies below one of the directories. */
export function isWithin(path: string, roots: readonly string[]): boolean {
  const plain = toPlainPath(path);
  return roots.some((root) => {
    const around = toPlainPath(root);
    return plain === around || around === '/' || plain.startsWith(`${around}/`);
  });
}

/** Where programs keep keys and passwords, and what a machine runs by itself. */
const SENSITIVE = new RegExp(
  [
    String.raw`(?:^|[\\/~\s'"=@])\.(?:ssh|gnupg|aws|azure|kube|docker|config[\\/]gcloud|password-store)(?:[\\/]|$|[\s'"])`,
    String.raw`\bid_(?:rsa|dsa|ecdsa|ed25519)\b(?!\.pub)`,
    String.raw`(?:^|[\\/\s'"=@<])\.env(?:\.(?:local|production|prod|development|dev|staging|secret))?(?=$|[\s'";|&)<>])`,
    String.raw`(?:^|[\\/\s'"=@])\.(?:netrc|pgpass|npmrc|pypirc|git-credentials|my\.cnf|htpasswd|bash_history|zsh_history|vault-token)(?=$|[\s'";|&)])`,
    String.raw`[\\/]etc[\\/](?:shadow|gshadow|passwd|sudoers|security[\\/]|ssh[\\/]|krb5\.keytab|kubernetes[\\/])`,
    String.raw`[\\/]proc[\\/](?:self|\d{1,7})[\\/](?:environ|mem|maps)`,
    String.raw`[\\/]var[\\/]run[\\/]secrets[\\/]|[\\/]run[\\/]secrets[\\/]|docker\.sock\b`,
    String.raw`[\\/]var[\\/]spool[\\/]cron|[\\/]etc[\\/]cron|[\\/]etc[\\/]systemd[\\/]|[\\/]etc[\\/]ld\.so\.preload|[\\/]etc[\\/](?:profile|rc\.local|init\.d)`,
    String.raw`\bauthorized_keys\b|(?:^|[\\/~])\.(?:bashrc|zshrc|profile|bash_profile|zprofile)(?=$|[\s'";|&)])|LaunchAgents[\\/]|[\\/]autostart[\\/]|Start Menu[\\/]Programs[\\/]Startup`,
    String.raw`Windows[\\/]System32[\\/]config[\\/](?:SAM|SYSTEM|SECURITY)|NTDS\.dit`,
    String.raw`(?:Login Data|Cookies|cookies\.sqlite|key4\.db|logins\.json|wallet\.dat|Keychains[\\/]|\.kdbx)(?=$|[\s'"\\/])`,
    String.raw`(?:^|[\\/])(?:credentials|secrets?)(?:\.(?:json|ya?ml|txt|toml|ini))?$`,
  ].join('|'),
  'i',
);

export function isSensitivePath(path: string): boolean {
  return SENSITIVE.test(path);
}

/** Names of environment variables that hold secrets. */
export const SECRET_VARIABLE =
  /^(?:DATABASE_URL|[A-Z0-9_]{0,64}(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|PRIVATE_KEY|ACCESS_KEY|CREDENTIALS?|_DSN|MNEMONIC)[A-Z0-9_]{0,32})$/;
