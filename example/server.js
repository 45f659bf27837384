// A small web application: one page made from a template, and an end in good order.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { hostname } from 'node:os';
import Mustache from 'mustache';

const page = readFileSync(new URL('page.html', import.meta.url), 'utf8');
const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
const startedAt = new Date().toISOString();
const port = Number(process.env.PORT ?? 3000);

const server = createServer((request, response) => {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  const facts = { version, startedAt, container: hostname(), node: process.version };
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(request.method === 'HEAD' ? undefined : Mustache.render(page, facts));
});

server.listen(port, () => console.log(`Version ${version} listens on port ${port}`));

// A release sends SIGTERM to the old version once the new one is healthy: requests under way are answered first.
process.once('SIGTERM', () => {
  console.log('SIGTERM: answers what is under way, then ends');
  server.close(() => process.exit(0));
  server.closeIdleConnections();
});
