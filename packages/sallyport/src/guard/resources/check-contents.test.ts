import { deflateRawSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { checkBlob, checkText } from './check-contents.ts';

const LIMITS = { maxBytes: 100_000, programs: [] };
const base64 = (bytes: string | Buffer) => Buffer.from(bytes as string, 'latin1').toString('base64');
const portable = `MZ${'\0'.repeat(58)}\x80\0\0\0${'\0'.repeat(64)}PE\0\0${'\0'.repeat(40)}`;
const farPortable = `MZ${'\0'.repeat(58)}\0\x10\0\0${'\0'.repeat(5_000)}`;
const png = '\x89PNG\r\n\x1a\n\0\0\0\rIHDR';
const tar = `${'a'.repeat(257)}ustar\0`;

test.each<[string, string, string | undefined, string]>([
  ['an ELF program as text', '\x7fELF\x02\x01', 'text/plain', 'program'],
  ['an ELF program as a picture', '\x7fELF\x02\x01', 'image/png', 'program'],
  ['an ELF program that says nothing', '\x7fELF\x02\x01', undefined, 'program'],
  ['an ELF program that says so', '\x7fELF\x02\x01', 'application/x-elf', 'program'],
  ['a Windows program as PDF', portable, 'application/pdf', 'program'],
  ['a Windows program as bytes', portable, 'application/octet-stream', 'program'],
  ['a Windows program whose header is far', farPortable, 'application/octet-stream', 'program'],
  ['a Mach-O program', '\xcf\xfa\xed\xfe\x07', 'image/jpeg', 'program'],
  ['a Java class', '\xca\xfe\xba\xbe\0\0', 'image/jpeg', 'program'],
  ['WebAssembly', '\0asm\x01\0\0\0', 'application/wasm', 'program'],
  ['a Windows shortcut', 'L\0\0\0\x01\x14\x02\0\0', 'text/plain', 'program'],
  ['bytes that say they are a program', 'anything', 'application/x-msdownload', 'program'],
  ['HTML as a picture', '<!DOCTYPE html><p>', 'image/png', 'wrong-type'],
  ['HTML after white space and a comment', '\n <!-- a --> <html>', 'image/gif', 'wrong-type'],
  ['HTML after a mark of order', '\xef\xbb\xbf<html>', 'image/gif', 'wrong-type'],
  ['a script of a page as a picture', '<script>alert(1)</script>', 'image/png', 'wrong-type'],
  ['SVG as PNG', '<svg xmlns="http://www.w3.org/2000/svg" onload="x()">', 'image/png', 'wrong-type'],
  ['SVG after its prologue as PNG', '<?xml version="1.0"?><!-- a --><svg >', 'image/png', 'wrong-type'],
  ['HTML as SVG', '<html><script>', 'image/svg+xml', 'wrong-type'],
  ['HTML as text', '<!doctype html><html>', 'text/plain', 'wrong-type'],
  ['HTML as JSON', '<html><body>', 'application/json; charset=utf-8', 'wrong-type'],
  ['PDF as a picture', '%PDF-1.7', 'image/png', 'wrong-type'],
  ['ZIP as a picture', 'PK\x03\x04', 'image/png', 'wrong-type'],
  ['ZIP as text', 'PK\x03\x04', 'text/plain', 'wrong-type'],
  ['gzip as PDF', gzipSync('x').toString('latin1'), 'application/pdf', 'wrong-type'],
  ['tar as sound', tar, 'audio/wav', 'wrong-type'],
  ['a shell script as a picture', '#!/bin/sh\nrm -rf /', 'image/png', 'wrong-type'],
  ['an Office document as a picture', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'image/bmp', 'wrong-type'],
  ['a picture as a font', png, 'font/woff2', 'wrong-type'],
])('%s is refused', (_, bytes, mime, id) => {
  expect(checkBlob(base64(bytes), mime, LIMITS)).toMatchObject({
    id,
    isBearable: false,
    why: expect.stringMatching(/\.$/),
  });
});

test.each<[string, string, string | undefined]>([
  ['PNG', png, 'image/png'],
  ['JPEG that says PNG', '\xff\xd8\xff\xe0', 'image/png'],
  ['WebP', 'RIFF\0\0\0\0WEBPVP8 ', 'image/webp'],
  ['AVIF', '\0\0\0\x1cftypavif', 'image/avif'],
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg">', 'image/svg+xml'],
  ['a picture nobody knows', '\x01\x02\x03', 'image/x-something'],
  ['PDF', '%PDF-1.7', 'application/pdf'],
  ['ZIP', 'PK\x03\x04', 'application/zip'],
  ['a Word document', 'PK\x03\x04', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['gzip that says nothing', gzipSync('x').toString('latin1'), 'application/octet-stream'],
  ['deflate', deflateRawSync('x').toString('latin1'), undefined],
  ['HTML', '<!doctype html>', 'text/html'],
  ['HTML as XML', '<html xmlns="http://www.w3.org/1999/xhtml">', 'application/xhtml+xml'],
  ['text', 'MZ is how this sentence begins, and it is a text', 'text/plain'],
  ['MP3', 'ID3\x04', 'audio/mpeg'],
  ['MP4', '\0\0\0\x18ftypmp42', 'video/mp4'],
  ['a shell script', '#!/bin/sh\n', 'text/x-shellscript'],
  ['a shell script as text', '#!/bin/sh\n', 'text/plain'],
  ['WOFF', 'wOF2', 'font/woff2'],
  ['nothing', '', 'image/png'],
])('%s passes', (_, bytes, mime) => {
  expect(checkBlob(base64(bytes), mime, LIMITS)).toBeUndefined();
});

test.each<[string, string, string | undefined, string, boolean]>([
  ['HTML as plain text', '<!DOCTYPE html>\n<html>', 'text/plain', 'wrong-type', true],
  ['a script of a page as JSON', '\ufeff <script>', 'application/json', 'wrong-type', true],
  ['SVG as Markdown', '<svg >', 'text/markdown', 'wrong-type', true],
  ['a text as a picture', '<html>', 'image/png', 'wrong-type', true],
  ['a program in a text', '\x7fELF\x02', 'text/plain', 'program', false],
  ['a Windows program in a text', portable, 'text/plain', 'program', false],
])('%s is told', (_, text, mime, id, isBearable) => {
  expect(checkText(text, mime, LIMITS)).toMatchObject({ id, isBearable });
});

test.each<[string, string, string | undefined]>([
  ['Markdown with tags', '<p align="center"><img src="logo.png"></p>', 'text/markdown'],
  ['a comment in Markdown', '<!-- prettier-ignore -->\n# Title', 'text/markdown'],
  ['a component', '<script setup>\n', 'text/x-vue'],
  ['XML', '<?xml version="1.0"?><feed>', 'application/xml'],
  ['a script', '#!/usr/bin/env node\n', 'text/plain'],
  ['a page', '<!doctype html>', 'text/html'],
  ['a page that says nothing', '<!doctype html>', undefined],
  ['words about PE', 'MZ and PE are two letters each', 'text/plain'],
  ['an empty text', '', 'text/plain'],
])('%s passes as text', (_, text, mime) => {
  expect(checkText(text, mime, LIMITS)).toBeUndefined();
});

test.each(['not base64!', 'AAA=AAA', 'A', 'AAAAA', 'AA===', '=', 'AAAA=', '&lt;html>', 'Ä'])(
  '%j is no base64',
  (blob) => {
    expect(checkBlob(blob, 'image/png', LIMITS)).toMatchObject({ id: 'no-base64' });
  },
);

test.each(['AAAA', 'AA==', 'AAA=', 'AA', 'AAA', '', 'AAAA\r\nAAAA\n', '-_-_'])('%j is base64', (blob) => {
  expect(checkBlob(blob, 'image/png', LIMITS)).toBeUndefined();
});

test('size is counted in bytes, after decoding', () => {
  const small = { maxBytes: 300, programs: [] };
  expect(checkBlob(base64('x'.repeat(300)), undefined, small)).toBeUndefined();
  expect(checkBlob(base64('x'.repeat(304)), undefined, small)).toMatchObject({ id: 'too-large' });
  expect(checkText('x'.repeat(300), undefined, small)).toBeUndefined();
  expect(checkText('x'.repeat(301), undefined, small)).toMatchObject({ id: 'too-large' });
  expect(checkText('é'.repeat(151), undefined, small)).toMatchObject({
    id: 'too-large',
    why: expect.stringContaining('302'),
  });
});

test('programs of types that the operator names pass, when they do not say that they are something else', () => {
  const open = { ...LIMITS, programs: ['application/wasm', 'application/x-*', '*/png'] };
  expect(checkBlob(base64('\0asm\x01\0\0\0'), 'application/wasm', open)).toBeUndefined();
  expect(checkBlob(base64(portable), 'application/x-msdownload', open)).toBeUndefined();
  expect(checkBlob(base64(portable), 'image/png', open)).toMatchObject({ id: 'program' });
  expect(checkBlob(base64(portable), 'application/octet-stream', open)).toMatchObject({ id: 'program' });
});
