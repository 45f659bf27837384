# An application on Node.js 24 with yarn, written by Berth.
FROM node:24-slim AS build
WORKDIR /app
RUN npm install --global yarn@1.22.22 --force
COPY package.json yarn.lock ./
RUN --mount=type=cache,target=/usr/local/share/.cache/yarn yarn install --frozen-lockfile --production
COPY . .

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
RUN chown node:node /app
COPY --from=build --chown=node:node /app /app
USER node
EXPOSE 3000
CMD ["node", "server.js"]
