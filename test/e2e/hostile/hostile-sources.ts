/** Small programs that tell what reached them, so that a test can compare it byte for byte. */
import { createHash } from 'node:crypto';
import type { Files } from '../fixtures/repository.ts';

/** Digest of a list of texts, the same here and in the programs below. */
export function digestOf(texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}

const digest =
  'const digest = (texts) => ' +
  `require('node:crypto').createHash('sha256').update(JSON.stringify(texts)).digest('hex');`;

const canaries = `require('node:fs').readdirSync('/tmp').filter((name) => name.startsWith('canary'))`;

/**
 * Answers its arguments, its variables V0, V1 … and the canaries in /tmp; `/file?<encoded path>` gives a
 * file.
 */
export const tellingServer = `const fs = require('node:fs');
require('node:http').createServer((request, response) => {
  const [path, query = ''] = request.url.split('?');
  if (path === '/file') return response.end(fs.readFileSync(decodeURIComponent(query)));
  const named = Object.entries(process.env).filter(([name]) => /^V[0-9]+$/.test(name));
  const variables = Object.fromEntries(named);
  response.end(JSON.stringify({ variables, args: process.argv.slice(1), canaries: ${canaries} }));
}).listen(3000);`;

/** Prints the digest of its arguments and the canaries in /tmp; writes the digest to /told. */
export const tellingArguments =
  `${digest} const told = digest(process.argv.slice(1)) + ' ' + JSON.stringify(${canaries}); ` +
  `console.log('told ' + told);`;
export const writingArguments =
  `${digest} require('node:fs').writeFileSync('/told', ` + 'digest(process.argv.slice(1)));';

/**
 * A build that compares nothing itself: it keeps the digests of its arguments A0, A1 … and secrets S0, S1 …
 * and serves them.
 */
export function tellingBuild(count: number): Files {
  const names = Array.from({ length: count }, (_, index) => index);
  const mounts = names.map((index) => `--mount=type=secret,id=S${index}`).join(' ');
  return {
    'check.js': `${digest} const fs = require('node:fs');
const names = [...Array(${count}).keys()];
const secretOf = (index) => fs.readFileSync('/run/secrets/S' + index, 'utf8');
const told = {
  arguments: digest(names.map((index) => process.env['A' + index])),
  secrets: digest(names.map(secretOf)),
  canaries: ${canaries},
};
fs.writeFileSync('/told', JSON.stringify(told));`,
    'server.js':
      `require('node:http').createServer((request, response) => ` +
      `response.end(require('node:fs').readFileSync('/told'))).listen(3000);`,
    Dockerfile: [
      'FROM berth/node:24',
      ...names.map((index) => `ARG A${index}`),
      'COPY check.js server.js /app/',
      `RUN ${mounts} ["node", "/app/check.js"]`,
      'CMD ["node", "/app/server.js"]',
      '',
    ].join('\n'),
  };
}
