# VitePress on Node.js 24 with npm, written by Berth.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
ENV NODE_ENV=production
RUN npm run docs:build

FROM caddy:2
RUN mkdir -p /etc/caddy && … > /etc/caddy/Caddyfile
COPY --from=build /app/docs/.vitepress/dist /srv
EXPOSE 80
ENTRYPOINT []
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
