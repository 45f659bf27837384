import { expect, test } from 'vitest';
import { newerSyntax } from './newer-syntax.ts';

test.each([
  // As in the wild: a script in a here-document.
  ['FROM node\nWORKDIR /app\nRUN <<SCRIPT\nset -e\necho one > a.txt\nSCRIPT\n', 3, 'a here-document'],
  ['FROM node\nCOPY <<-"EOF" /etc/app.conf\n', 2, 'a here-document'],
  ['FROM node\nRUN --network=none npm test\n', 2, 'RUN --network'],
  ['FROM node\nrun --mount=type=cache,target=/x --network=none make\n', 2, 'RUN --network'],
  ['FROM node\nRUN --mount=type=secret,id=TOKEN,env=TOKEN npm ci\n', 2, 'a secret in a variable'],
])('%j is told with its line', (dockerfile, line, what) => {
  expect(newerSyntax(dockerfile)).toMatch(
    new RegExp(
      `^Line ${line} of the Dockerfile uses ${what}, .+ "# syntax=docker/dockerfile:1" as the first line`,
    ),
  );
});

test.each([
  '# syntax=docker/dockerfile:1\nFROM node\nRUN <<SCRIPT\necho\nSCRIPT\n',
  'FROM node\nRUN cat <<<"text"\nRUN echo $((1 << 2))\n',
  'FROM node\nRUN docker run --mount=type=bind,env=x y\n' +
    'RUN --mount=type=secret,id=TOKEN cat /run/secrets/TOKEN\n',
])('%j is known everywhere', (dockerfile) => expect(newerSyntax(dockerfile)).toBeUndefined());
