/** The browsable reference at /docs: Swagger UI over our own OpenAPI document, every file from here. */
import type { FastifyInstance } from 'fastify';
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { berthFileSchema } from './berth-file-schema.ts';
import { servedDocument } from './served-document.ts';

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

const start =
  `SwaggerUIBundle({ url: '/api/openapi.json', dom_id: '#reference', deepLinking: true, docExpansion: ` +
  `'none', filter: true, validatorUrl: null });\n`;

const policy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";
const files = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
} as const;

export function addDocs(app: FastifyInstance, folder = packageFolder()): void {
  const schema = servedDocument('application/schema+json; charset=utf-8', berthFileSchema);
  app.get('/api/berth-file.schema.json', (request, reply) => {
    // Editors in a browser read it, too; nothing of the installation stands in it.
    return schema(request, reply.header('access-control-allow-origin', '*'));
  });
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

function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
