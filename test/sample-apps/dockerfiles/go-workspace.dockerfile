# An application on Go 1.25, written by Berth.
FROM golang:1.25-bookworm AS build
WORKDIR /src
COPY . .
WORKDIR /src/api
RUN --mount=type=cache,target=/go/pkg/mod \
    --mount=type=cache,target=/root/.cache/go-build \
    go build -trimpath -ldflags="-s -w" -o /out/api .

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates tzdata \
 && rm -rf /var/lib/apt/lists/*
RUN useradd --system --create-home --uid 10001 app
ENV PATH=/app/bin:$PATH
WORKDIR /app
RUN chown app:app /app
COPY --from=build /src/api/migrations ./migrations
COPY --from=build /out ./bin
USER app
EXPOSE 8080
CMD ["api"]
