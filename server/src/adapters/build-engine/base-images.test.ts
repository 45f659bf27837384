import { expect, test } from 'vitest';
import { baseImages } from './base-images.ts';

test.each([
  ['# syntax=team/front:1', ['team/front:1']],
  ['#   Syntax = team/front:1   --debug  \nFROM a:1', ['team/front:1', 'a:1']],
  ['# escape=`\n# syntax=team/front:1\nFROM a:1', ['team/front:1', 'a:1']],
  ['\uFEFF#!/usr/bin/env docker\n# syntax=team/front:1', ['team/front:1']],
  ['// syntax=team/front:1\n{}', ['team/front:1']],
  ['{ "syntax": "team/front:1" }', ['team/front:1']],
  // A comment, since something stands before it.
  ['FROM a:1\n# syntax=team/front:1', ['a:1']],
  ['# about\n# syntax=team/front:1\nFROM a:1', ['a:1']],
])('the frontend of %j', (dockerfile, references) => {
  expect(baseImages(dockerfile, {})).toEqual(references);
});

test('a frontend that is given as a build argument counts beside one that the Dockerfile names', () => {
  expect(baseImages('# syntax=own:1\nFROM a:1', { BUILDKIT_SYNTAX: 'given:1 --x' })).toEqual([
    'given:1',
    'own:1',
    'a:1',
  ]);
});

test.each([
  ['FROM berth/node:24', ['berth/node:24']],
  ['# syntax=x\nfrom --platform=linux/amd64 node:24 AS base\nFROM base\nFROM BASE AS y', ['x', 'node:24']],
  ['ARG V=24\nFROM node:${V}', ['node:24']],
  ['ARG V=24\nARG IMAGE=node:$V\nFROM $IMAGE', ['node:24']],
  ['ARG TAG\nFROM node:${TAG:-22}', ['node:22']],
  ['ARG NAME=x TAG="1"\nFROM $NAME:$TAG', ['given:1']],
  ['FROM scratch\nCOPY --chown=1:1 --from=tools:1 /a /b\nCOPY --from=0 /a /b', ['tools:1']],
  ['FROM a:1\nRUN --mount=type=bind,from=b:2,target=/x \\\n  true', ['a:1', 'b:2']],
  ['FROM \\\n  a:1 \\\n  AS b', ['a:1']],
  ['', []],
])('%j', (dockerfile, references) => {
  expect(baseImages(dockerfile, { NAME: 'given' })).toEqual(references);
});
