/** Where a domain answers, as a person opens it. Pure. */
const usual = { http: 80, https: 443 } as const;

/** `ports`: those that the server's proxy takes. */
export function addressOf(
  { host, path, https }: { host: string; path: string; https: boolean },
  ports: { http: number; https: number } = usual,
): string {
  const scheme = https ? 'https' : 'http';
  const port = ports[scheme] === usual[scheme] ? '' : `:${ports[scheme]}`;
  return `${scheme}://${host}${port}${path === '/' ? '' : path}`;
}
