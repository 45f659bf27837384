/** What Berth asks of the domain name system. */

export interface Lookup {
  /** IPv4 and IPv6; none when nobody has the name. */
  addresses: string[];
  /** Why there is no answer, as a clause; undefined when there is one. */
  fault: string | undefined;
}

export interface NameResolver {
  /**
   * The addresses of a host name, asked of this resolver (`1.1.1.1`, `[::1]:53`) or, without one, of the
   * machine's own; within some seconds.
   */
  lookUp(host: string, resolver: string | null): Promise<Lookup>;
}
