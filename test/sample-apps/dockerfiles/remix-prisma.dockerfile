# Remix on Node.js 24 with npm, written by Berth.
FROM node:24-slim AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends openssl \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
ENV NODE_ENV=production
RUN npx prisma generate && npm run build
RUN --mount=type=cache,target=/root/.npm npm prune --omit=dev

FROM node:24-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends openssl \
 && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production PATH=/app/node_modules/.bin:$PATH
WORKDIR /app
RUN chown node:node /app
COPY --from=build --chown=node:node /app /app
USER node
EXPOSE 3000
CMD ["remix-serve", "./build/index.js"]
