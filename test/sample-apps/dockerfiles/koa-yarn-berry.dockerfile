# Koa on Node.js 24 with Yarn, written by Berth.
FROM node:24-slim AS build
WORKDIR /app
ENV YARN_NODE_LINKER=node-modules YARN_ENABLE_GLOBAL_CACHE=true YARN_ENABLE_TELEMETRY=false
RUN npm install --global @yarnpkg/cli-dist@4.9.2 --force
COPY package.json yarn.lock .yarnrc.yml ./
RUN --mount=type=cache,target=/root/.yarn/berry/cache yarn install --immutable
COPY . .

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
RUN chown node:node /app
COPY --from=build --chown=node:node /app /app
USER node
EXPOSE 3000
CMD ["node", "app.js"]
