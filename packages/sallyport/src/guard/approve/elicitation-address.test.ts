import { describe, expect, test } from 'vitest';
import { findSecretQuestion } from './elicitation-secrets.ts';

const ask = (url: unknown) =>
  findSecretQuestion('elicitation/create', {
    mode: 'url',
    message: 'Open this',
    url: url as string,
    elicitationId: '1',
  });

describe('an address a person must not be sent to is refused', () => {
  test.each<[unknown, RegExp]>([
    ['javascript:alert(1)', /not https/],
    ['JAVASCRIPT:alert(1)', /not https/],
    ['data:text/html,<script>alert(1)</script>', /not https/],
    ['file:///etc/passwd', /not https/],
    ['vbscript:msgbox(1)', /not https/],
    ['blob:https://a.example/1', /not https/],
    ['intent://a#Intent;end', /not https/],
    ['http://bank.example/', /not https/],
    ['http://127.0.0.1.evil.example/', /not https/],
    ['http://localhost.evil.example/', /not https/],
    ['https://bank.example@evil.example/', /user name/],
    ['https://bank.example:443@evil.example/', /user name/],
    [' https://a.example/', /read by a person/],
    ['https://a.example/\u202egnp.exe', /read by a person/],
    ['java\nscript:alert(1)', /read by a person/],
    ['https://a.example/\u200b', /read by a person/],
    [`https://a.example/${'x'.repeat(3_000)}`, /read by a person/],
    ['//a.example/', /no URL/],
    ['', /no URL/],
    [undefined, /no URL/],
    [{ toString: () => 'https://a.example' }, /no URL/],
  ])('%j', (url, why) => {
    expect(ask(url)).toMatch(why);
  });
});

describe('an address of a web page passes', () => {
  test.each([
    'https://login.example/authorize?state=1#x',
    'http://127.0.0.1:8080/consent',
    'http://localhost/',
    'http://[::1]/',
  ])('%s', (url) => {
    expect(ask(url)).toBeUndefined();
  });
});
