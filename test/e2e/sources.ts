/** Small applications that the tests deploy. */
import { readFileSync } from 'node:fs';
import type { Files } from './repository.ts';

/**
 * Answers its version, host name and variables as JSON, the version alone on `/version`; `/write?<text>` and
 * `/read` keep a text in /data, `/file?<path>` gives a file. It says nothing on SIGTERM and ends at once, as
 * a program that nobody prepared for rolling releases does.
 */
export const nodeServer = (version: string): string => `
const { readFileSync, writeFileSync, existsSync } = require('node:fs');
const version = ${JSON.stringify(version)};
require('node:http').createServer((request, response) => {
  const [path, query = ''] = request.url.split('?');
  if (path === '/version') return response.end(version);
  if (path === '/write') writeFileSync('/data/text', query);
  if (path === '/read' && !existsSync('/data/text')) return response.end('');
  if (path === '/read') return response.end(readFileSync('/data/text', 'utf8'));
  if (path === '/file') return response.end(readFileSync(query, 'utf8'));
  response.end(JSON.stringify({ version, host: require('node:os').hostname(), env: process.env }));
}).listen(3000, () => console.log('listening as ' + version));
`;

/** The same as one argument of \`node -e\` in an application's command. */
export const nodeCommand = (version: string): string =>
  `node -e '${nodeServer(version).replaceAll("'", '"').replaceAll('\n', ' ')}'`;

export const nodeFiles = (version: string, steps: readonly string[] = []): Files => ({
  'server.js': nodeServer(version),
  Dockerfile: [
    'FROM berth/node:24',
    'WORKDIR /app',
    ...steps,
    'COPY . .',
    'CMD ["node", "server.js"]',
    '',
  ].join('\n'),
});

const busybox = readFileSync('/bin/busybox');

/**
 * One static program and nothing else, so that it is built, pushed and started in a moment; answers its
 * version as text on port 3000. `steps` are shell commands of the build.
 */
export function tinyFiles(
  version: string,
  options: { steps?: readonly string[]; start?: string } = {},
): Files {
  const { steps = [], start = 'exec httpd -f -p 3000 -h /www' } = options;
  return {
    busybox,
    'www/index.html': version,
    start: `#!/bin/busybox sh\n${start}\n`,
    Dockerfile: [
      'FROM scratch',
      'COPY busybox /bin/busybox',
      'RUN ["/bin/busybox", "--install", "-s", "/bin"]',
      'COPY www /www',
      'COPY start /start',
      ...steps.map((step) => `RUN ${step}`),
      'CMD ["/bin/busybox", "sh", "/start"]',
      '',
    ].join('\n'),
  };
}
