# Hono on Node.js 22 with pnpm, written by Berth.
FROM node:22-slim AS build
WORKDIR /app
ENV CI=true
RUN npm install --global pnpm@10.12.1
COPY package.json pnpm-lock.yaml ./
RUN --mount=type=cache,target=/root/.local/share/pnpm/store \
    --mount=type=secret,id=NPM_TOKEN \
    export NPM_TOKEN="$(cat /run/secrets/NPM_TOKEN)" && pnpm install --frozen-lockfile
COPY . .
ENV NODE_ENV=production
RUN --mount=type=secret,id=NPM_TOKEN \
    export NPM_TOKEN="$(cat /run/secrets/NPM_TOKEN)" && pnpm run build
RUN --mount=type=cache,target=/root/.local/share/pnpm/store \
    --mount=type=secret,id=NPM_TOKEN \
    export NPM_TOKEN="$(cat /run/secrets/NPM_TOKEN)" && pnpm prune --prod --ignore-scripts

FROM node:22-slim
ENV NODE_ENV=production
WORKDIR /app
RUN chown node:node /app
COPY --from=build --chown=node:node /app /app
USER node
EXPOSE 3000
CMD ["node", "dist/server.js"]
