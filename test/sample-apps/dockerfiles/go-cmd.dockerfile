# An application on Go 1.24.3, written by Berth.
FROM golang:1.24.3-bookworm AS build
WORKDIR /src
COPY go.mod ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ENV CGO_ENABLED=0
ARG VERSION
RUN --mount=type=cache,target=/go/pkg/mod \
    --mount=type=cache,target=/root/.cache/go-build \
    go build -trimpath -ldflags="-s -w" -o /out/shop ./cmd/shop

FROM alpine:3
RUN apk add --no-cache ca-certificates tzdata && adduser -D -u 10001 app
ENV PATH=/app/bin:$PATH
WORKDIR /app
RUN chown app:app /app
COPY --from=build /out ./bin
USER app
EXPOSE 8080
CMD ["shop"]
