# An application on PHP 8.3 with Apache, written by Berth.
FROM php:8.3-apache
RUN a2enmod rewrite \
 && sed -i 's/Listen 80/Listen 8080/' /etc/apache2/ports.conf \
 && sed -i 's#:80>#:8080>#; s#/var/www/html#/var/www/html#' /etc/apache2/sites-available/000-default.conf \
 && printf "<Directory /var/www/>\nAllowOverride All\n</Directory>\n" > /etc/apache2/conf-enabled/berth.conf \
 && mv "$PHP_INI_DIR/php.ini-production" "$PHP_INI_DIR/php.ini"
WORKDIR /var/www/html
COPY --chown=www-data:www-data . .
USER www-data
EXPOSE 8080
CMD ["apache2-foreground"]
