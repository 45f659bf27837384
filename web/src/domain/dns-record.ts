/** As a zone file has it, which forms of DNS providers take apart. */
export const recordOf = (host: string, ip: string): string =>
  `${host} ${ip.includes(':') ? 'AAAA' : 'A'} ${ip}`;
