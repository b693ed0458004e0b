import { describe, expect, test } from 'vitest';
import { Answer } from '../core/message.ts';
import { refuseUnsafePages } from './refuse-unsafe-pages.ts';

const required = (elicitations: unknown, code = -32042) =>
  Answer.error('1', code, 'Authorization is required.', { elicitations } as never);
const page = (url: unknown) => ({ mode: 'url', elicitationId: '1', message: 'Sign in', url });

describe('an error that sends people to a page nobody should open', () => {
  test.each<[string, unknown]>([
    ['a script', [page('javascript:alert(1)')]],
    ['a file', [page('file:///etc/passwd')]],
    ['plain http elsewhere', [page('http://bank.example/')]],
    ['another host than it seems', [page('https://bank.example@evil.example/')]],
    ['the second one', [page('https://a.example/'), page('data:text/html,x')]],
    ['another mode that a client may overlook', [{ ...page('javascript:alert(1)'), mode: 'form' }]],
    ['no page', [{}]],
    ['no list', page('javascript:alert(1)')],
    ['a list of something else', ['javascript:alert(1)']],
  ])('%s', (_, elicitations) => {
    expect(() => refuseUnsafePages(required(elicitations))).toThrow(expect.objectContaining({ code: 'denied' }));
  });
});

describe('passes', () => {
  test.each<[string, Answer]>([
    ['a web page', required([page('https://login.example/authorize?state=1')])],
    ['a page on this machine', required([page('http://127.0.0.1:8080/consent')])],
    ['no pages', required([])],
    ['nothing said of pages', required(undefined)],
    ['another error', required([page('javascript:alert(1)')], -32602)],
    ['a result', Answer.result('1', { elicitations: [page('javascript:alert(1)')] } as never)],
  ])('%s', (_, answer) => {
    expect(() => refuseUnsafePages(answer)).not.toThrow();
  });
});
