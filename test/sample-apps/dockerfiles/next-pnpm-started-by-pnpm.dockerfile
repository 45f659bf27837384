# Next.js on Node.js 24 with pnpm, written by Berth.
FROM node:24-slim AS build
WORKDIR /app
ENV CI=true
RUN npm install --global pnpm@10.19.0
COPY package.json pnpm-lock.yaml ./
RUN --mount=type=cache,target=/root/.local/share/pnpm/store pnpm install --frozen-lockfile
COPY . .
ENV NODE_ENV=production
RUN --mount=type=cache,target=/app/.next/cache pnpm run build
RUN --mount=type=cache,target=/root/.local/share/pnpm/store pnpm prune --prod --ignore-scripts

FROM node:24-slim
RUN npm install --global pnpm@10.19.0
ENV NODE_ENV=production NEXT_TELEMETRY_DISABLED=1
WORKDIR /app
RUN chown node:node /app
COPY --from=build --chown=node:node /app /app
USER node
EXPOSE 3000
CMD ["npm", "run", "start"]
