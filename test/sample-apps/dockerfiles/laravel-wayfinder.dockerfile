# Laravel on PHP 8.4 with Apache, written by Berth.
FROM composer:2 AS packages
WORKDIR /app
COPY composer.json composer.lock ./
RUN --mount=type=cache,target=/tmp/cache composer install --no-dev --no-scripts --no-autoloader --no-interaction --prefer-dist --ignore-platform-reqs
COPY . .
RUN composer dump-autoload --no-dev --optimize --no-scripts

FROM node:24-slim AS node

FROM php:8.4-cli AS assets
COPY --from=node /usr/local/bin/node /usr/local/bin/
COPY --from=node /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN cd /usr/local/bin \
 && ln -s ../lib/node_modules/npm/bin/npm-cli.js npm \
 && ln -s ../lib/node_modules/npm/bin/npx-cli.js npx \
 && ln -s ../lib/node_modules/corepack/dist/corepack.js corepack
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
COPY --from=packages /app/vendor ./vendor
RUN npm run build

FROM php:8.4-apache
RUN apt-get update \
 && apt-get install --yes --no-install-recommends libpq-dev libicu-dev libzip-dev \
 && rm -rf /var/lib/apt/lists/*
RUN docker-php-ext-install -j"$(nproc)" pdo_mysql pdo_pgsql intl zip bcmath pcntl
RUN a2enmod rewrite \
 && sed -i 's/Listen 80/Listen 8080/' /etc/apache2/ports.conf \
 && sed -i 's#:80>#:8080>#; s#/var/www/html#/var/www/html/public#' /etc/apache2/sites-available/000-default.conf \
 && printf "<Directory /var/www/>\nAllowOverride All\n</Directory>\n" > /etc/apache2/conf-enabled/berth.conf \
 && mv "$PHP_INI_DIR/php.ini-production" "$PHP_INI_DIR/php.ini"
WORKDIR /var/www/html
COPY --from=packages --chown=www-data:www-data /app ./
COPY --from=assets --chown=www-data:www-data /app/public/build ./public/build
USER www-data
EXPOSE 8080
CMD ["apache2-foreground"]
