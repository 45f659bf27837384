# NestJS on Node.js 24 with npm, written by Berth.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
ENV NODE_ENV=production
RUN npm run prestart:prod
RUN --mount=type=cache,target=/root/.npm npm prune --omit=dev

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
RUN chown node:node /app
COPY --from=build --chown=node:node /app /app
USER node
EXPOSE 3000
CMD ["node", "dist/main.js"]
