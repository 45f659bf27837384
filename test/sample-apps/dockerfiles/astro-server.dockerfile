# Astro on Node.js 24 with npm, written by Berth.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
ENV NODE_ENV=production
RUN npm run build
RUN --mount=type=cache,target=/root/.npm npm prune --omit=dev

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
RUN chown node:node /app
COPY --from=build --chown=node:node /app /app
USER node
EXPOSE 4321
CMD ["node", "./dist/server/entry.mjs"]
