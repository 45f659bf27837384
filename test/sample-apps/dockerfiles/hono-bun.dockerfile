# Hono on Node.js 24 with bun, written by Berth.
FROM node:24-slim AS build
WORKDIR /app
RUN npm install --global bun@1
COPY package.json bun.lock ./
RUN --mount=type=cache,target=/root/.bun/install/cache bun install --frozen-lockfile --production
COPY . .

FROM node:24-slim
RUN npm install --global bun@1
ENV NODE_ENV=production
WORKDIR /app
RUN chown node:node /app
COPY --from=build --chown=node:node /app /app
USER node
EXPOSE 3000
CMD ["bun", "src/index.ts"]
