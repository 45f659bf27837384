# Sinatra on Ruby 3.2.2, written by Berth.
FROM ruby:3.2.2-slim AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends build-essential git libyaml-dev pkg-config \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV BUNDLE_PATH=/usr/local/bundle BUNDLE_WITHOUT=development:test RACK_ENV=production
COPY Gemfile ./
RUN bundle install && rm -rf /usr/local/bundle/ruby/*/cache
COPY . .

FROM ruby:3.2.2-slim
RUN useradd --system --create-home --uid 10001 app
ENV BUNDLE_PATH=/usr/local/bundle BUNDLE_WITHOUT=development:test RACK_ENV=production
WORKDIR /app
RUN chown app:app /app
COPY --from=build /usr/local/bundle /usr/local/bundle
COPY --from=build --chown=app:app /app /app
USER app
EXPOSE 3000
CMD ["sh", "-c", "exec bundle exec puma --bind=tcp://0.0.0.0:${PORT:-3000}"]
