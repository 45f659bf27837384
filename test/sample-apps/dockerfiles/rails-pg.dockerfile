# Rails on Ruby 3.3.6, written by Berth.
FROM ruby:3.3.6-slim AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends build-essential git libyaml-dev pkg-config libpq-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV BUNDLE_DEPLOYMENT=1 BUNDLE_PATH=/usr/local/bundle BUNDLE_WITHOUT=development:test RAILS_ENV=production
COPY Gemfile Gemfile.lock .ruby-version ./
RUN bundle install && rm -rf /usr/local/bundle/ruby/*/cache
COPY . .
RUN SECRET_KEY_BASE_DUMMY=1 bundle exec rails assets:precompile

FROM ruby:3.3.6-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends libpq5 \
 && rm -rf /var/lib/apt/lists/*
RUN useradd --system --create-home --uid 10001 app
ENV BUNDLE_DEPLOYMENT=1 BUNDLE_PATH=/usr/local/bundle BUNDLE_WITHOUT=development:test RAILS_ENV=production RAILS_LOG_TO_STDOUT=1 RAILS_SERVE_STATIC_FILES=1
WORKDIR /app
RUN chown app:app /app
COPY --from=build /usr/local/bundle /usr/local/bundle
COPY --from=build --chown=app:app /app /app
USER app
EXPOSE 3000
CMD ["sh", "-c", "exec bundle exec rails server --binding=0.0.0.0 --port=${PORT:-3000}"]
