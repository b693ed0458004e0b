import { expect, test } from 'vitest';
import { differentPeople, isSamePerson } from './same-person.ts';

test.each([
  ['the same key', { by: 'key:1' }, { by: 'key:1' }],
  ['two keys of one person', { by: 'key:1', person: 'ann' }, { by: 'key:2', person: 'ann' }],
  ['a key and a token of one person', { by: 'key:1', person: 'ann' }, { by: 'oauth:x#1', person: 'ann' }],
  ['a terminal and a key of one person', { by: 'os:ann', person: 'ann' }, { by: 'key:2', person: 'ann' }],
  ['terminal and laptop key', { by: 'os:ann', person: 'ann' }, { by: 'local' }],
  ['terminal and a program it started', { by: 'os:ann', person: 'ann' }, { by: 'stdio' }],
  ['two users of the system who may both open the state directory', { by: 'os:ann' }, { by: 'os:root' }],
  ['laptop key and nobody in particular', { by: 'local' }, { by: 'anyone' }],
])('one person: %s', (_, one, other) => {
  expect(isSamePerson(one, other)).toBe(true);
  expect(isSamePerson(other, one)).toBe(true);
  expect(differentPeople([one, other, one])).toHaveLength(1);
});

test.each([
  ['two keys nobody is named for', { by: 'key:1' }, { by: 'key:2' }],
  ['keys of two people', { by: 'key:1', person: 'ann' }, { by: 'key:2', person: 'bob' }],
  ['a terminal and a key of somebody else', { by: 'os:ann', person: 'ann' }, { by: 'key:2', person: 'bob' }],
  ['a key that is called like a user', { by: 'os:ann', person: 'ann' }, { by: 'key:os:ann' }],
])('two people: %s', (_, one, other) => {
  expect(isSamePerson(one, other)).toBe(false);
  expect(differentPeople([one, other, one])).toHaveLength(2);
});
