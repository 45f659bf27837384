# Nuxt on Node.js 24 with pnpm, written by Berth.
FROM node:24-slim AS build
WORKDIR /app
ENV CI=true
RUN npm install --global pnpm@10
COPY . .
RUN --mount=type=cache,target=/root/.local/share/pnpm/store pnpm install --frozen-lockfile
ENV NODE_ENV=production
RUN pnpm run build

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
RUN chown node:node /app
COPY --from=build --chown=node:node /app/.output ./.output
USER node
EXPOSE 3000
CMD ["node", ".output/server/index.mjs"]
