# Next.js on Node.js 24 with pnpm, written by Berth.
FROM node:24-slim AS build
WORKDIR /app
ENV CI=true
RUN npm install --global pnpm@9.15.0
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY apps/web/package.json ./apps/web/package.json
COPY packages/ui/package.json ./packages/ui/package.json
RUN --mount=type=cache,target=/root/.local/share/pnpm/store pnpm install --frozen-lockfile
COPY . .
ENV NODE_ENV=production
RUN --mount=type=cache,target=/app/apps/web/.next/cache npx turbo run build --filter=@acme/web

FROM node:24-slim
ENV NODE_ENV=production HOSTNAME=0.0.0.0 NEXT_TELEMETRY_DISABLED=1
WORKDIR /app
RUN chown node:node /app
COPY --from=build --chown=node:node /app/apps/web/.next/standalone ./
COPY --from=build --chown=node:node /app/apps/web/.next/static ./apps/web/.next/static
USER node
EXPOSE 3000
CMD ["node", "apps/web/server.js"]
