# Fastify on Node.js 24 with pnpm, written by Berth.
FROM node:24-slim AS build
WORKDIR /app
ENV CI=true
RUN npm install --global pnpm@10.12.1
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY apps/api/package.json ./apps/api/package.json
COPY packages/db/package.json ./packages/db/package.json
COPY packages/log/package.json ./packages/log/package.json
RUN --mount=type=cache,target=/root/.local/share/pnpm/store pnpm install --frozen-lockfile
COPY . .
ENV NODE_ENV=production
RUN pnpm --filter=./packages/log run build && pnpm --filter=./packages/db run build && pnpm --filter=./apps/api run build

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app/apps/api
RUN chown node:node /app /app/apps/api
COPY --from=build --chown=node:node /app /app
USER node
EXPOSE 3000
CMD ["node", "dist/index.js"]
