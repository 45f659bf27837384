/** Samples of Node.js, each with the Dockerfile that it gets. */
import { json, lockOf, type Sample } from './sample.ts';

const expressServer = (said: string): string =>
  `require('express')().get('/', (_, answer) => answer.send('${said}')).listen(process.env.PORT ?? 3000);\n`;

export const nodeSamples: readonly Sample[] = [
  {
    name: 'express-npm',
    files: {
      'package.json': json({
        scripts: { start: 'node server.js' },
        dependencies: { express: '^5.1.0' },
        engines: { node: '>=20' },
      }),
      'package-lock.json': lockOf('express.json'),
      'server.js': expressServer('hello'),
    },
    real: {
      page: '/',
      changed: { 'server.js': expressServer('goodbye') },
    },
    framework: 'Express',
    port: 3000,
    dockerfile: `# Express on Node.js 24 with npm, written by Berth.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev
COPY . .

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build --chown=node:node /app /app
USER node
EXPOSE 3000
CMD ["node", "server.js"]
`,
  },
];
