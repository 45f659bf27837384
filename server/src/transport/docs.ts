/**
 * The page at `/` that says where things are, and the browsable reference at /docs: Swagger UI over our own
 * OpenAPI document, every file from this server.
 */
import type { FastifyInstance } from 'fastify';
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Berth: API reference</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** Nothing of the installation: whoever reaches the address sees it. */
const front = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Berth</title>
</head>
<body>
<h1>Berth</h1>
<p>Berth runs here. It is used through its interface and its command line:</p>
<ul>
<li><a href="/docs">/docs</a>: every call, to read and to try</li>
<li><a href="/api/openapi.json">/api/openapi.json</a>: the same for programs</li>
<li><a href="/api/health">/api/health</a>: whether it is well, and its version</li>
<li><code>berth login --url</code> with this address: the command line;
<code>berth help</code> tells the rest</li>
</ul>
</body>
</html>
`;

const start =
  `SwaggerUIBundle({ url: '/api/openapi.json', dom_id: '#reference', deepLinking: true, docExpansion: ` +
  `'none', filter: true, validatorUrl: null });\n`;

const policy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";
const files = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
} as const;

export function addDocs(app: FastifyInstance): void {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  app.get(
    '/',
    (_request, reply) =>
      void reply
        .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
        .send(front),
  );
  app.get(
    '/docs',
    (_request, reply) =>
      void reply
        .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
        .send(page),
  );
  app.get(
    '/docs/start.js',
    (_request, reply) => void reply.header('content-type', 'text/javascript; charset=utf-8').send(start),
  );
  for (const [name, type] of Object.entries(files)) {
    app.get(
      `/docs/${name}`,
      (_request, reply) =>
        void reply
          .headers({ 'content-type': type, 'cache-control': 'public, max-age=86400' })
          .send(createReadStream(join(folder, name))),
    );
  }
}
