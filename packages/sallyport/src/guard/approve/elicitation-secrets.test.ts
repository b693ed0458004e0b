import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { findSecretQuestion } from './elicitation-secrets.ts';

const form = (properties: JsonObject, message = 'Please fill in the form.'): JsonObject => ({
  message,
  requestedSchema: { type: 'object', properties },
});
const field = (name: string, more: JsonObject = {}) => form({ [name]: { type: 'string', ...more } });

const ATTACKS: Readonly<Record<string, JsonObject>> = {
  'a password': field('password'),
  'a password in camel case': field('userPassword'),
  'a password in snake case': field('db_password'),
  'a pass phrase': field('pass_phrase'),
  'an abbreviation': field('pwd'),
  'an API key': field('apiKey'),
  'an API key in capitals': field('API_KEY'),
  'an AWS secret': field('aws_secret_access_key'),
  'a private key': field('privateKey'),
  'a token': field('token'),
  'an access token': field('accessToken'),
  'a GitHub token': field('github_token'),
  'a client secret': field('client_secret'),
  'a card number': field('cardNumber'),
  'a credit card': field('credit_card'),
  'a check value': field('cvv'),
  'a one-time code': field('otp'),
  'a verification code': field('verificationCode'),
  'a second factor': field('mfa_code'),
  'a PIN': field('pin'),
  'a seed phrase': field('seedPhrase'),
  'a title': field('value', { title: 'Your password' }),
  'a title with an invisible character': field('value', { title: 'Pass\u200bword' }),
  'a title in full-width letters': field('value', { title: 'Ｐａｓｓｗｏｒｄ' }),
  'a title with a Cyrillic letter': field('value', { title: 'Pаssword' }),
  'a digit for a letter': field('value', { title: 'passw0rd' }),
  'a description': field('value', { description: 'Enter your API key here' }),
  'a description that begins with it': field('value', { description: 'Your GitHub personal access token' }),
  'a format': field('value', { format: 'password' }),
  'a write-only field': field('value', { writeOnly: true }),
  'the message only': form({ value: { type: 'string' } }, 'Please enter your password to continue.'),
  'the message, one-time code': form({ answer: { type: 'string' } }, 'We sent you an SMS. Type the verification code.'),
  'the second sentence': form({ answer: { type: 'string' } }, 'All is well. Now paste your API key below.'),
  'the title of the form': {
    message: 'Hello',
    requestedSchema: { type: 'object', title: 'Enter your password', properties: { a: { type: 'string' } } },
  },
  'a nested field': form({ login: { type: 'object', properties: { password: { type: 'string' } } } }),
  'a list': form({ keys: { type: 'array', items: { type: 'object', properties: { apiKey: { type: 'string' } } } } }),
  'Chinese: password': field('value', { title: '密码' }),
  'Chinese: login password': field('登录密码'),
  'Chinese: one-time code': field('value', { title: '短信验证码' }),
  'Chinese: key': field('value', { description: '请输入您的API密钥' }),
  'Chinese: card number': field('value', { title: '银行卡号' }),
  'Chinese: token': field('value', { title: '访问令牌' }),
  'Chinese, traditional': field('value', { title: '密碼' }),
  'Chinese: message': form({ value: { type: 'string' } }, '请输入您的密码以继续'),
  'Chinese with spaces': field('value', { title: '密 码' }),
  'too many fields to look at': form(
    Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`f${i}`, { type: 'string' }])),
  ),
};

const HARMLESS: Readonly<Record<string, JsonObject>> = {
  'a name': field('name'),
  'an e-mail address': field('email', { format: 'email', description: 'Where the report goes' }),
  'a date': field('date', { format: 'date' }),
  'a country code': field('countryCode', { title: 'Country code' }),
  'a postal code': field('postal_code'),
  'a code': field('code', { title: 'Code', description: 'Currency code, e.g. EUR' }),
  'a key of an issue': field('key', { title: 'Issue key', description: 'e.g. PROJ-123' }),
  'a keyboard': field('keyboard'),
  'the number of tokens': field('max_tokens', { type: 'integer', description: 'Maximum number of tokens' }),
  'a token limit': field('tokenLimit', { type: 'integer' }),
  'a primary key column': field('primaryKey', { description: 'Column that is the primary key' }),
  'the length of a password': field('passwordLength', { type: 'integer' }),
  'the name of a secret': field('secretName', { description: 'Name of the secret in the vault' }),
  'rotate the keys': form({ rotate: { type: 'boolean', title: 'Rotate API keys?' } }),
  'a choice': form({ method: { type: 'string', title: 'Second factor', enum: ['totp', 'sms'] } }),
  'a confirmation': form(
    { ok: { type: 'boolean', title: 'Reset the password of bob?' } },
    'Reset the password of bob?',
  ),
  'a message about passwords': form(
    { day: { type: 'string', format: 'date' } },
    'Your password expires soon. Which day suits you?',
  ),
  'a warning': form({ note: { type: 'string' } }, 'Do not enter your password here. Which folder shall I use?'),
  'a business card': field('cardTitle', { title: 'Title on the business card' }),
  'an author': field('author', { title: 'Author' }),
  'a passenger': field('passenger', { title: 'Passenger name' }),
  'a compass': field('compass_bearing'),
  'a pinned post': field('pinned', { title: 'Pinned post' }),
  'a secretary': field('secretary', { title: 'Secretary' }),
  'Chinese: name': field('value', { title: '姓名' }),
  'Chinese: postal code': field('value', { title: '邮政编码' }),
  'Chinese: length of the password': field('value', { title: '密码长度' }),
  'Chinese: warning': form({ value: { type: 'string', title: '备注' } }, '请勿输入密码。请选择日期。'),
  'Chinese: date': form({ value: { type: 'string', format: 'date', title: '日期' } }, '请选择出发日期'),
  'a URL': { mode: 'url', message: 'Enter your API key on our page', url: 'https://example.com', elicitationId: 'x' },
  'no schema': { message: 'Go on?' },
};

describe('a form that asks for a secret is refused', () => {
  test.each(Object.entries(ATTACKS))('%s', (_, params) => {
    expect(findSecretQuestion('elicitation/create', params)).toMatch(/secret|read/);
  });
});

describe('a harmless form passes', () => {
  test.each(Object.entries(HARMLESS))('%s', (_, params) => {
    expect(findSecretQuestion('elicitation/create', params)).toBeUndefined();
  });
});

test('other questions are not forms', () => {
  expect(findSecretQuestion('roots/list', field('password'))).toBeUndefined();
});

test('a megabyte of text is looked through quickly enough to be no attack', () => {
  const started = performance.now();
  findSecretQuestion('elicitation/create', form({ a: { type: 'string', description: 'do not '.repeat(150_000) } }));
  expect(performance.now() - started).toBeLessThan(2_000);
});
