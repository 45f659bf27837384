/** The compose file that the tests of compose services deploy, and change. */

/**
 * Answers its version and what the store has under `greeting`; the store is asked by its name in the file.
 */
const web = `
const { connect } = require('node:net');
if (process.env.CRASH) { console.log('no luck with ' + process.env.CRASH); process.exit(3); }
require('node:http').createServer((request, response) => {
  if (request.url === '/version') return response.end(process.env.VERSION);
  const store = connect(6379, 'redis', () => store.write('GET greeting\\r\\n'));
  store.once('data', (data) => {
    store.end();
    response.end([process.env.VERSION, request.url, String(data).split('\\r\\n')[1]].join(' '));
  });
  store.once('error', (error) => response.end(String(error)));
}).listen(3000);
`;

export const file = (services = ''): string => `
services:
  web:
    image: berth/node:24
    command: ["node", "-e", ${JSON.stringify(web.replaceAll('$', '$$'))}]
    environment: { VERSION: "\${VERSION:?which version}", CRASH: }
    stop_grace_period: 2s
    depends_on:
      redis: { condition: service_healthy }
      seed: { condition: service_completed_successfully }
  seed:
    image: berth/redis:7
    command: ["redis-cli", "-h", "redis", "set", "greeting", "\${GREETING:-hello}"]
    depends_on: [redis]
  redis:
    image: berth/redis:7
    container_name: ignored
    volumes: [data:/data]
    healthcheck: { test: [CMD, redis-cli, ping], interval: 1s, timeout: 2s, start_period: 10s }
${services}
volumes: { data: , work: }
`;
const working = "console.log('working ' + require('fs').readFileSync('/note')); setInterval(() => {}, 1000)";
export const worker = `
  worker:
    image: berth/node:24
    command: ["node", "-e", "${working}"]
    volumes: ["work:/work", "./note.txt:/note:ro"]
    init: false
    stop_grace_period: 1s
    healthcheck: { test: "true", interval: 1s }
`;
