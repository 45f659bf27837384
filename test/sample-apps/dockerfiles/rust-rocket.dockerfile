# Rocket on Rust 1.85.0, written by Berth.
FROM rust:1.85.0-slim-bookworm AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends pkg-config libssl-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --release && cp target/release/site /usr/local/bin/

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates libssl3 \
 && rm -rf /var/lib/apt/lists/*
RUN useradd --system --create-home --uid 10001 app
ENV ROCKET_ADDRESS=0.0.0.0 ROCKET_PORT=8080
WORKDIR /app
RUN chown app:app /app
COPY --from=build /usr/local/bin/site /app/site
USER app
EXPOSE 8080
CMD ["/app/site"]
