/** A host, as it stands in an address, and the judged address that stands for it. */
export interface SshPin {
  /** Letters, digits, ".", "_" and "-", as `parseGitUrl` takes them. */
  host: string;
  port: string | undefined;
  address: string;
}

/**
 * Settings of ssh (ssh_config(5), where the first value found counts): known keys go by the name, the
 * connection by the address, and any other host gets none.
 */
export function sshConfig(pins: readonly SshPin[]): string {
  const blocks = pins.map(({ host, port, address }) =>
    [
      `Host ${host === host.toLowerCase() ? host : `${host} ${host.toLowerCase()}`}`,
      ` HostName ${address}`,
      ` HostKeyAlias ${port === undefined || Number(port) === 22 ? host : `[${host}]:${port}`}`,
      ' CheckHostIP no',
      ' ProxyCommand none',
    ].join('\n'),
  );
  return [...blocks, `Host *\n ProxyCommand exec /bin/false\n`].join('\n');
}
