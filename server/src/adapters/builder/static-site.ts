/** A folder served by Caddy: the Dockerfile and the settings are Berth's own. */
import type { BuildPlan } from './step.ts';

export const staticSite = {
  files: (plan: BuildPlan): Record<string, string> => ({
    Dockerfile: staticDockerfile(plan.staticImage, plan.singlePage),
    'Dockerfile.dockerignore': ignored,
  }),
  /** The build of that Dockerfile; nothing of the source's own Dockerfile settings applies. */
  plan: (plan: BuildPlan): BuildPlan => ({
    ...plan,
    dockerfile: undefined,
    stage: undefined,
    buildArguments: {},
    secretFiles: {},
  }),
};

/** Never published, also when the whole repository is. */
const ignored = [
  '**/.git',
  '**/.gitignore',
  '**/.env',
  '**/.env.*',
  '**/.dockerignore',
  '**/.DS_Store',
  '',
].join('\n');

/**
 * Serves /srv on port 80, which a domain leads to that names no port, and on 3000, to which such domains led
 * once. Without a check of its own: the probe that every release carries looks at the ports its domains lead
 * to, at a tenth of the cost.
 */
export function staticDockerfile(image: string, singlePage: boolean): string {
  const lines = caddyfile(singlePage).map((line) => `'${line}'`);
  return [
    `FROM ${image}`,
    `RUN mkdir -p /etc/caddy && printf '%s\\n' ${lines.join(' ')} > /etc/caddy/Caddyfile`,
    'COPY . /srv',
    'EXPOSE 80',
    'ENTRYPOINT []',
    'CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
    '',
  ].join('\n');
}

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
