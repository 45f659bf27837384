# An application on Go 1.25, written by Berth.
FROM golang:1.25-bookworm AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/go/pkg/mod go mod init app && go mod tidy
ENV CGO_ENABLED=0
RUN --mount=type=cache,target=/go/pkg/mod \
    --mount=type=cache,target=/root/.cache/go-build \
    go build -trimpath -ldflags="-s -w" -o /out/server .

FROM alpine:3
RUN apk add --no-cache ca-certificates tzdata && adduser -D -u 10001 app
ENV PATH=/app/bin:$PATH
WORKDIR /app
RUN chown app:app /app
COPY --from=build /out ./bin
USER app
EXPOSE 8080
CMD ["server"]
