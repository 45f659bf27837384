/** The image that an organization's builder runs (images/recipes/builder), made by set-up on each machine. */
export const builderImage = 'berth/builder:1';

/**
 * The proxy as set-up makes it where no registry answers (images/recipes/caddy). The tag is the version: an
 * upgrade of Berth that brings another renews the proxy.
 */
export const proxyImage = 'berth/caddy:2.11';
