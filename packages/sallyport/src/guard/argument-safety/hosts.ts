/** Data in the labels of a host name leaves with the first DNS query, before any request is made (DNS tunnels). */

/** Clouds give out names such as `d111111abcdef8` and put regions and services below one another. */
const BIG_HOUSES =
  /\.(?:amazonaws\.com(?:\.cn)?|cloudfront\.net|azure(?:edge|websites)?\.(?:com|net)|windows\.net|googleusercontent\.com|googlevideo\.com|fastly\.net|akamai(?:zed|edge|hd)?\.net|vercel\.app|netlify\.app|pages\.dev|workers\.dev|run\.app|aliyuncs\.com|myqcloud\.com|cloudapp\.net|herokuapp\.com|github\.dev|gitpod\.io|ngrok(?:-free)?\.app)$/;

/** @param host as written: lower-casing would take the mark of base32 away */
export function carriesData(host: string): boolean {
  if (host.length < 24 || BIG_HOUSES.test(host.toLowerCase())) return false;
  const labels = host.split('.').slice(0, -2);
  if (labels.some(isEncodedLabel)) return true;
  // Cut into pieces of one length, or into many that no language has.
  const pieces = labels.filter((label) => label.length >= 6);
  const sameLength = Math.max(0, ...countBy(pieces, (label) => label.length).values());
  if (labels.length >= 4 && sameLength >= 3) return true;
  return pieces.filter(isUnpronounceable).length >= 3;
}

/** The mark of a key, without the signs that a host cannot have. */
const KEY_IN_LABEL = /^(?:akia|asia|gh[opsur]|glpat|sk|xox[abp]|aiza|npm)-?[a-z0-9-]{14,59}$/i;

function isText(label: string, encoding: 'base64' | 'hex'): boolean {
  return /^[\x20-\x7e]+$/.test(Buffer.from(label, encoding).toString('latin1'));
}

/** Base32 in capitals, or hexadecimal that spells something. */
function isEncodedLabel(label: string): boolean {
  if (label.startsWith('xn--')) return false;
  if (KEY_IN_LABEL.test(label) && /\d/.test(label)) return true;
  // No host is written in mixed case but to be decoded: DNS does not tell the cases apart.
  if (/^[A-Za-z0-9_-]{14,63}$/.test(label) && /[a-z][A-Z].*[a-z][A-Z]/.test(label) && isText(label, 'base64'))
    return true;
  if (/^[A-Z2-7]{16,63}$/.test(label) && /[2-7]/.test(label)) return true;
  if (!/^(?:[0-9a-fA-F]{2}){6,31}$/.test(label)) return /^[a-z2-7]{40,63}$/.test(label) && isUnpronounceable(label);
  return isText(label, 'hex') || label.length >= 48;
}

/** Digits between letters, or hardly a vowel. */
function isUnpronounceable(label: string): boolean {
  const letters = label.replace(/[^a-z]/gi, '');
  const vowels = letters.replace(/[^aeiouy]/gi, '').length;
  const changes = label.match(/\d[a-z]|[a-z]\d/gi)?.length ?? 0;
  return changes >= 3 || (letters.length >= 6 && vowels / letters.length < 0.15);
}

function countBy(labels: readonly string[], of: (label: string) => number): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const label of labels) counts.set(of(label), (counts.get(of(label)) ?? 0) + 1);
  return counts;
}
