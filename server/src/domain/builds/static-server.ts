/** Pages served by Caddy: the instructions of the image and the settings of the server. */
import { cmdLine, copyLine } from './dockerfile.ts';

/**
 * Serves /srv on port 80, which a domain leads to that names no port, and on 3000, to which such domains led
 * once. Without a check of its own: the probe that every release carries looks at the ports its domains lead
 * to, at a tenth of the cost.
 */
export function staticStage(
  image: string,
  { from = '', folder = '.', singlePage }: { from?: string; folder?: string; singlePage: boolean },
): string[] {
  const lines = caddyfile(singlePage).map((line) => `'${line}'`);
  return [
    `FROM ${image}`,
    `RUN mkdir -p /etc/caddy && printf '%s\\n' ${lines.join(' ')} > /etc/caddy/Caddyfile`,
    copyLine([folder], '/srv', from === '' ? '' : `--from=${from}`),
    'EXPOSE 80',
    'ENTRYPOINT []',
    cmdLine(staticCommand),
  ];
}

export const staticCommand = ['caddy', 'run', '--config', '/etc/caddy/Caddyfile', '--adapter', 'caddyfile'];
export const staticPort = 80;

/** Lines without a single quote, since a shell writes them. */
function caddyfile(singlePage: boolean): string[] {
  return [
    '{',
    'admin off',
    'auto_https off',
    '}',
    ':80, :3000 {',
    'root * /srv',
    'encode zstd gzip',
    // Files keep their names from one release to the next, so that a browser asks whether its copy is still
    // good.
    'header ?Cache-Control "public, max-age=0, must-revalidate"',
    'header X-Content-Type-Options nosniff',
    'header ?Referrer-Policy strict-origin-when-cross-origin',
    'header -Server',
    '@hidden path */.git/* */.env */.env.*',
    'respond @hidden 404',
    ...(singlePage ? ['try_files {path} {path}/ /index.html'] : []),
    'file_server',
    'handle_errors {',
    'root * /srv',
    '@page file /{http.error.status_code}.html',
    'handle @page {',
    'rewrite * /{http.error.status_code}.html',
    'file_server',
    '}',
    'handle {',
    'respond "{http.error.status_code} {http.error.status_text}"',
    '}',
    '}',
    '}',
  ];
}
