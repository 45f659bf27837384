# An application on Ruby 3.4, written by Berth.
FROM ruby:3.4-slim AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends build-essential git libyaml-dev pkg-config \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV BUNDLE_DEPLOYMENT=1 BUNDLE_PATH=/usr/local/bundle BUNDLE_WITHOUT=development:test RACK_ENV=production
COPY Gemfile Gemfile.lock ./
RUN bundle install && rm -rf /usr/local/bundle/ruby/*/cache
COPY . .

FROM ruby:3.4-slim
RUN useradd --system --create-home --uid 10001 app
ENV BUNDLE_DEPLOYMENT=1 BUNDLE_PATH=/usr/local/bundle BUNDLE_WITHOUT=development:test RACK_ENV=production
WORKDIR /app
RUN chown app:app /app
COPY --from=build /usr/local/bundle /usr/local/bundle
COPY --from=build --chown=app:app /app /app
USER app
EXPOSE 9292
CMD ["bundle", "exec", "rackup", "--host", "0.0.0.0", "--port", "9292"]
