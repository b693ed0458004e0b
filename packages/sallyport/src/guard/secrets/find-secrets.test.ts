import { describe, expect, test } from 'vitest';
import { SECRET_KINDS } from '../../config/secret-kinds.ts';
import { findSecrets } from './find-secrets.ts';
import { PROVIDER_KEYS } from './provider-keys.ts';

/** Made of parts, so that no tool that reads this repository takes them for keys. */
const mixed = (length: number) => 'a7Kq2Zx9Lm4Tp8Rv3Wn6Yb5Hc1Jd0Gf'.repeat(8).slice(0, length);
const hex = (length: number) =>
  '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'.repeat(2).slice(0, length);
const GITHUB = `ghp_${mixed(36)}`;
const AWS = `AKIA${'Q7W2ZK5LMN3PXR4T'}`;
const SECRET = `wJ8rXUtnFE3I/K7MD5NG/bPxRfi2YEXqT9LpZkVs`;
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const JWT = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url({ sub: '1', admin: true })}.${mixed(43)}`;
const PEM = (kind: string) => `-----BEGIN ${kind}-----\n${mixed(64)}\n${mixed(64)}\n-----END ${kind}-----`;

function kinds(text: string, field?: string): readonly string[] {
  return findSecrets(text, { field }).map(({ kind }) => kind);
}

describe('attacks', () => {
  test.each<[string, string, string?]>([
    ['github-token', `use ${GITHUB} to clone`],
    ['github-token', `github_pat_11A${mixed(70)}`],
    ['gitlab-token', `glpat-${mixed(20)}`],
    ['aws-access-key', `id=${AWS};`],
    ['named-secret', `aws_secret_access_key = ${SECRET}`],
    ['gcp-api-key', `https://maps.example.net/?key=AIza${mixed(35)}`],
    ['azure-storage-key', `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${mixed(86)}==`],
    ['azure-client-secret', `abc8Q~${mixed(34)}`],
    ['slack-token', `xoxb-123456789012-${mixed(24)}`],
    ['slack-webhook', `https://hooks.slack.com/services/T00000001/B00000002/${mixed(24)}`],
    ['stripe-key', `sk_live_${mixed(24)}`],
    ['openai-key', `sk-proj-${mixed(48)}`],
    ['anthropic-key', `sk-ant-api03-${mixed(90)}`],
    ['npm-token', `//registry.npmjs.org/:_authToken=npm_${mixed(36)}`],
    ['pypi-token', `pypi-AgEI${mixed(60)}`],
    ['twilio-key', `SK${hex(32)}`],
    ['sendgrid-key', `SG.${mixed(22)}.${mixed(43)}`],
    ['telegram-bot-token', `123456789:AA${mixed(33)}`],
    ['digitalocean-token', `dop_v1_${hex(64)}`],
    ['aliyun-access-key', `LTAI5t${mixed(18)}`],
    ['tencent-secret-id', `AKID${mixed(32)}`],
    ['huggingface-token', `hf_${mixed(34)}`],
    ['private-key', PEM('RSA PRIVATE KEY')],
    ['private-key', PEM('OPENSSH PRIVATE KEY')],
    ['private-key', PEM('PGP PRIVATE KEY BLOCK')],
    ['private-key', JSON.stringify(PEM('PRIVATE KEY'))],
    ['jwt', `token ${JWT}`],
    ['connection-password', 'postgres://app:s3cr3tPa55@db.prod:5432/app'],
    ['connection-password', 'mongodb+srv://root:t0psecret@cluster0.abc.mongodb.net'],
    ['bearer-token', `Authorization: Bearer ${mixed(40)}`],
    ['basic-credentials', `Authorization: Basic ${Buffer.from('admin:hunter22').toString('base64')}`],
    ['password', 'password: Tr0ub4dor&3x'],
    ['password', '数据库密码：Zx9Lm4Tp8Rv'],
    ['password', 'Tr0ub4dor3', 'db_password'],
    ['named-secret', mixed(40), 'apiKey'],
    ['seed-phrase', 'legal winner thank year wave sausage worth useful legal winner thank yellow'],
    [
      'seed-phrase',
      'My recovery phrase: letter advice cage absurd amount doctor acoustic avoid letter advice cage above',
    ],
    ['card-number', 'card 4532 0151 1283 0366, 12/28'],
    ['card-number', '4532015112830366'],
    ['iban', 'to GB29 NWBK 6016 1331 9268 19 today'],
    ['iban', 'CH9300762011623852957'],
    ['us-ssn', 'his number is 536-22-8726'],
    ['us-ssn', 'SSN 536228726'],
    ['cn-resident-id', '身份证号11010519491231002X'],
    ['card-number', 'card 4532 0151 1283 0366 12/28 123'],
    ['card-number', '4532.0151.1283.0366.'],
    ['card-number', '4532\u00a00151\u00a01283\u00a00366'],
    ['card-number', '4532\u20090151\u20091283\u20090366'],
    ['card-number', '4532\u20110151\u20111283\u20110366'],
    ['card-number', '4532\u30000151\u30001283\u30000366'],
    ['card-number', '４５３２０１５１１２８３０３６６'],
    ['card-number', '卡号４５３２ ０１５１ １２８３ ０３６６'],
    ['card-number', '٤٥٣٢ ٠١٥١ ١٢٨٣ ٠٣٦٦'],
    ['card-number', 'amex 3782-822463-10013'],
    ['iban', 'gb29nwbk60161331926819'],
    ['iban', 'iban: gb29 nwbk 6016 1331 9268 19.'],
    ['iban', 'GB29-NWBK-6016-1331-9268-19'],
    ['iban', 'GB 29 NWBK  601613 31926819'],
    ['iban', 'DE44\u00a05001\u00a00517\u00a05407\u00a03249\u00a031'],
    ['iban', 'ＤＥ４４ ５００１ ０５１７ ５４０７ ３２４９ ３１'],
    ['iban', 'NO93 8601 1117 947'],
    ['us-ssn', 'SSN: 536 22 8726'],
    ['us-ssn', '536 22 8726', 'ssn'],
    ['us-ssn', 'social security number 536\u00a022\u00a08726'],
    ['us-ssn', '536\u201122\u20118726'],
    ['cn-resident-id', '110105 19491231 002X'],
    ['cn-resident-id', '110105-19491231-002x'],
    ['cn-resident-id', '110105 1949 1231 002X'],
    ['cn-resident-id', '身份证：１１０１０５１９４９１２３１００２Ｘ'],
    ['cn-phone', '+8613812345678'],
    ['cn-phone', '+86 138 1234 5678'],
    ['cn-phone', '+86-138-1234-5678'],
    ['cn-phone', '(+86) 13812345678'],
    ['cn-phone', '0086 13812345678'],
    ['cn-phone', '0086-138-1234-5678'],
    ['cn-phone', '86-13812345678'],
    ['cn-phone', '138\u00a01234\u00a05678'],
    ['cn-phone', '１３８－１２３４－５６７８'],
    ['cn-phone', '手机：13812345678'],
    ['cn-phone', '138 1234 5678'],
    ['phone-number', 'call +19876543210'],
    ['phone-number', 'call +49 30 1234 5678'],
    ['mail-address', 'write to ann.lee@acme.dev'],
    ['private-address', 'ssh 192.168.7.12'],
    ['wallet-address', '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
    ['wallet-key', '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ'],
  ])('%s in %s', (kind, text, field) => {
    expect(kinds(text, field)).toContain(kind);
  });

  test.each([
    ['{\\"password\\":\\"Tr0ub4dor3\\"}', 'password'],
    ['{\\\\\\"password\\\\\\":\\\\\\"Tr0ub4dor3\\\\\\"}', 'password'],
    ['{"url":"https:\\/\\/user:S3cr3tPw9x@git.acme.dev\\/x.git"}', 'connection-password'],
    [GITHUB.replace('_', '\\_'), 'github-token'],
    ['anna\\.schmidt@web\\.de', 'mail-address'],
    ['{"note":"line\\n4539 5787 6362 1486"}', 'card-number'],
    ['k%20DE89 3704 0044 0532 0130 00', 'iban'],
    ['card=4539+5787+6362+1486&x=1', 'card-number'],
    [`t=%22${GITHUB}%22`, 'github-token'],
    [`{"log":"9 started\\n${GITHUB}"}`, 'github-token'],
    [`[1;32m${GITHUB}[0m`, 'github-token'],
    ['password = a|b8C9d0e1', 'password'],
    ['**Password:** Tr0ub4dor3', 'password'],
    ['<password>Tr0ub4dor3xKq9</password>', 'password'],
    ['| password | Tr0ub4dor3xKq9 |', 'password'],
    ['{"name":"DB_PASSWORD","value":"Tr0ub4dor3"}', 'password'],
    ['- name: DB_PASSWORD\n  value: Tr0ub4dor3', 'password'],
    ['<add key="password" value="Tr0ub4dor3"/>', 'password'],
    ['mysql --password Tr0ub4dor3xKq9', 'password'],
    ['Passwort: Tr0ub4dor3', 'password'],
    ['пароль: Tr0ub4dor3', 'password'],
  ])('as programs and people write it: %s', (text, kind) => {
    expect(kinds(text)).toEqual([kind]);
  });

  const encoded: [string, string][] = [
    ['base64', Buffer.from(`KEY=${GITHUB}`).toString('base64')],
    ['base64 in a URL', `https://x.test/?d=${Buffer.from(GITHUB).toString('base64url')}`],
    ['base64 in a path', `https://x.test/v1/${Buffer.from(GITHUB).toString('base64url')}/a`],
    ['base64 in base64', Buffer.from(Buffer.from(GITHUB).toString('base64')).toString('base64')],
    [
      'base64 over lines',
      Buffer.from(`${'note. '.repeat(20)}${GITHUB}`)
        .toString('base64')
        .replace(/.{76}/g, '$&\n'),
    ],
    ['hex', Buffer.from(GITHUB).toString('hex')],
    ['hex in binary', `00ff${Buffer.from(GITHUB).toString('hex')}0011`],
    [
      'hex with dashes',
      Buffer.from(GITHUB)
        .toString('hex')
        .replace(/..(?=.)/g, '$&-'),
    ],
    ['percent', `https://x.test/?k=${[...Buffer.from(GITHUB)].map((b) => `%${b.toString(16)}`).join('')}`],
    ['percent twice', `?k=${[...Buffer.from(GITHUB)].map((b) => `%25${b.toString(16)}`).join('')}`],
    [
      'percent over base64',
      encodeURIComponent(Buffer.from(`${GITHUB}??>>`).toString('base64')).replace(
        /[A-Z]/g,
        (l) => `%${l.charCodeAt(0).toString(16)}`,
      ),
    ],
    ['unicode escapes', [...GITHUB].map((l) => `\\u00${l.charCodeAt(0).toString(16)}`).join('')],
    ['character codes', [...Buffer.from(GITHUB)].join(', ')],
    ['bits', [...Buffer.from(GITHUB)].map((b) => b.toString(2).padStart(8, '0')).join(' ')],
    ['reverse', [...GITHUB].reverse().join('')],
    ['zero width', [...GITHUB].join('\u200b')],
    [
      'full width',
      [...GITHUB].map((l) => (/\w/.test(l) && l !== '_' ? String.fromCharCode(l.charCodeAt(0) + 0xfee0) : l)).join(''),
    ],
  ];
  test.each(encoded)('a key in %s', (_, text) => {
    const [found] = findSecrets(text);
    expect(found).toMatchObject({ kind: 'github-token', how: 'hidden' });
    // The whole disguise can be taken out.
    expect(findSecrets(text.slice(0, found?.start) + text.slice(found?.end))).toEqual([]);
  });

  test.each([
    ['over two lines', `${GITHUB.slice(0, 20)}\n  ${GITHUB.slice(20)}`],
    ['in literals', `"${GITHUB.slice(0, 18)}" + "${GITHUB.slice(18)}"`],
  ])('a key %s', (_, text) => {
    expect(kinds(text)).toEqual(['github-token']);
  });

  test('the place of the value is told', () => {
    const text = `a password=Tr0ub4dor3 and ${GITHUB}.`;
    expect(findSecrets(text).map(({ start, end }) => text.slice(start, end))).toEqual(['Tr0ub4dor3', GITHUB]);
  });

  test('a password in an address wins over the mail address it looks like', () => {
    expect(kinds('mysql://app:s3cretPa55word@db.internal/x')).toEqual(['connection-password', 'private-address']);
  });
});

describe('harmless', () => {
  test.each<[string, string, string?]>([
    ['a UUID', '123e4567-e89b-42d3-a456-426614174000'],
    ['a git hash', 'commit 9fceb02d0ae598e95dc970b74767f19372d61af8'],
    ['a SHA-256', hex(64)],
    ['an order number', 'order 4929-1837-2211 of 2026-03-10'],
    ['sixteen digits without the sum', 'ref 4532015112830367'],
    ['sixteen digits with dots and without the sum', '4532.0151.1283.0367'],
    ['a table of four digits', '4532 0151 1283 0366 4000 5120 6011'],
    ['a table of four digits behind others', '1200 4532 0151 1283 0366'],
    ['years', '2021 2022 2023 2024 2025 2026'],
    ['a longer version', 'build 4532.0151.1283.0366.1200'],
    ['three columns', 'GET /index.html 200 15 5123'],
    ['a resident id with a wrong sign, in groups', '110105 19491231 0021'],
    ['thirteen digits', 'id 8613812345678 of a row'],
    ['eleven digits in groups of another form', '1381 2345 678'],
    ['a sentence that begins as an IBAN', 'at 10 2026 we met, de 44 people of 20 houses and 30 streets were there'],
    ['a wrong IBAN in small letters', 'gb28nwbk60161331926819'],
    ['full-width prose', '会议改到２０２６年１１月２２日下午３点，地点不变。'],
    ['an ISBN', 'ISBN 978-3-16-148410-0'],
    ['a time in milliseconds', '{"at":1760000000000}'],
    ['a picture', `data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk${mixed(200)}`],
    ['a path', '/home/user/projects/sallyport/src/guard/secrets/find-secrets.ts'],
    ['a page token', '{"nextPageToken":"CAUQAA1b2C3d4E5f6G7h8"}'],
    ['a page token for people', 'Next Page Token: NF0g5JCEk_IgxQc'],
    ['a count of tokens', '{"max_tokens":4096,"completionTokens":120}'],
    ['a word about passwords', 'The password must have 12 characters; passwords expire.'],
    ['a table', '| token | description |\n|---|---|\n| password | the one you chose, 12 signs |'],
    ['alternatives', 'const NAMES = /"password|authorization2|cookie"|token|refresh_token1|x/;'],
    ['an option with a name', 'docker build --secret id=mysecret1 .'],
    ['an option', 'Run it with --password and --token-file ~/.config/tool/token2.txt'],
    ['elements', '<password>your-password-1</password><token>changeme123</token><secret/>'],
    ['a pair', '{"name":"password","type":"string","value":"required"}'],
    ['sums', '1+22+333+4 and a+12+b+34'],
    ['an escaped path', '{"path":"C:\\\\tmp\\\\_new\\\\.git","re":"\\\\d{4}\\\\-\\\\d{2}"}'],
    ['a variable', 'const token = getToken(request); const secret = process.env.API_SECRET_1;'],
    ['a template', 'password: $DB_PASSWORD, token: {{ token }}, key: <your-key>'],
    ['a type', '{ secretOrKey: Uint8Array, password: string }'],
    ['a placeholder', 'sk-xxxxxxxxxxxxxxxxxxxxxxxx and ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'],
    ['a long name', 'sk-learn-style-pipelines-for-everybody and task-force-of-the-whole-company'],
    ['the head of a key', 'starts with -----BEGIN PRIVATE KEY----- and so on'],
    ['a short opaque bearer', 'Authorization: Bearer mF_9.B5f-4.1JqM'],
    ['an address without password', 'https://user@host.test/ and postgres://localhost:5432/x'],
    ['an address with an example', 'postgres://user:password@localhost/db'],
    ['two words and a dot', 'eyJust.kidding.about'],
    ['twelve words of prose', 'there were once seven brothers living near some dark woods beyond eleven hills'],
    ['a list of words', 'apples bananas oranges lemons plums grapes figs melons dates limes kiwis nuts'],
    ['a network', 'route 10.0.0.0/8 and 192.168.0.0/16'],
    ['a version', 'release 10.12.1 of 2026'],
    ['an impossible SSN', '666-12-3456 000-12-3456 987-65-4321'],
    ['an impossible resident id', '110105194912310021'],
    ['eleven digits', 'id 13812345678901 and 15912345678 rows'],
    ['a package', 'react@18.2.0 and logo@2x.png'],
    ['the word in Japanese', 'https://docs.test/?q=%E3%83%91%E3%82%B9%E3%83%AF%E3%83%BC%E3%83%89'],
    ['an empty wallet', `0x${'0'.repeat(40)}`],
    ['base64 of prose', Buffer.from('Only words stand here, and nothing else is said at all.').toString('base64')],
    ['an IBAN with a wrong sum', 'GB28 NWBK 6016 1331 9268 19'],
  ])('%s', (_, text, field) => {
    expect(kinds(text, field)).toEqual([]);
  });

  test.each([
    ...['AKIAIOSFODNN7EXAMPLE', '4111 1111 1111 1111', '4111\u00a01111\u00a01111\u00a01111', 'ann@example.com'],
    ...['DE89370400440532013000', 'de89-3704-0044-0532-0130-00', 'SSN 078 05 1120'],
  ])('%s is a sample', (text) => {
    expect(findSecrets(text)).toMatchObject([{ isSample: true }]);
  });
});

test('every kind can be named in the configuration', () => {
  expect(PROVIDER_KEYS.map(({ kind }) => kind).filter((kind) => !SECRET_KINDS.has(kind))).toEqual([]);
});

test.each([
  'eyJ'.repeat(40_000),
  '://a:'.repeat(20_000),
  '-----BEGIN PRIVATE KEY-----'.repeat(4_000),
  '4111 1111 1111 1112 '.repeat(5_000),
  '%25'.repeat(30_000),
  'password=_'.repeat(10_000),
  `password=${'_'.repeat(255)}1 `.repeat(300),
  'abandon '.repeat(12_000),
  'GB82 '.repeat(20_000),
  '@a.'.repeat(30_000),
  `${hex(64)}:`.repeat(1_500),
])('%.20s… is read to its end', (text) => {
  // Patterns are proven linear elsewhere; a square of this length would not end within the time of a test.
  expect(findSecrets(text.repeat(10)).length).toBeLessThanOrEqual(10_000);
});
