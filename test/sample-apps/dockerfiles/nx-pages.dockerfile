# Vite on Node.js 24 with npm, written by Berth.
FROM node:24-slim AS build
WORKDIR /app
COPY . .
RUN --mount=type=cache,target=/root/.npm npm ci
ENV NODE_ENV=production
RUN npx nx build shop

FROM caddy:2
RUN mkdir -p /etc/caddy && … > /etc/caddy/Caddyfile
COPY --from=build /app/dist/apps/shop /srv
EXPOSE 80
ENTRYPOINT []
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
