# Vite on Node.js 24 with yarn, written by Berth.
FROM node:24-slim AS build
WORKDIR /app
RUN npm install --global yarn@1.22.22 --force
COPY package.json yarn.lock ./
COPY site/package.json ./site/package.json
COPY ui/package.json ./ui/package.json
RUN --mount=type=cache,target=/usr/local/share/.cache/yarn yarn install --frozen-lockfile
COPY . .
ENV NODE_ENV=production
RUN yarn --cwd site run build

FROM caddy:2
RUN mkdir -p /etc/caddy && … > /etc/caddy/Caddyfile
COPY --from=build /app/site/dist /srv
EXPOSE 80
ENTRYPOINT []
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
