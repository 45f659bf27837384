# Axum on Rust 1, written by Berth.
FROM rust:1-slim-bookworm AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends pkg-config libssl-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --release --locked && cp target/release/shop /usr/local/bin/

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates libssl3 \
 && rm -rf /var/lib/apt/lists/*
RUN useradd --system --create-home --uid 10001 app
WORKDIR /app
RUN chown app:app /app
COPY --from=build /usr/local/bin/shop /app/shop
USER app
EXPOSE 8080
CMD ["/app/shop"]
