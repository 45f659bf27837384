# An application on Node.js 24 with npm, written by Berth.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY apps/admin/package.json ./apps/admin/package.json
COPY apps/web/package.json ./apps/web/package.json
COPY packages/words/package.json ./packages/words/package.json
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
ENV NODE_ENV=production
RUN npm run build --workspace=packages/words
RUN --mount=type=cache,target=/root/.npm npm prune --omit=dev

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app/apps/web
RUN chown node:node /app /app/apps/web
COPY --from=build --chown=node:node /app /app
USER node
EXPOSE 3000
CMD ["node", "server.js"]
