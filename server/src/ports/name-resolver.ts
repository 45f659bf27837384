/** What Berth asks of the domain name system. */

export interface Lookup {
  /** IPv4 and IPv6; none when nobody has the name. */
  addresses: string[];
  /** Why there is no answer, as a clause; undefined when there is one. */
  fault: string | undefined;
}

/** Texts, names or servers that the system has for a name. */
export interface Found {
  /** None when nobody has the name, or it has no such records. */
  found: string[];
  fault: string | undefined;
}

export interface NameResolver {
  /**
   * The addresses of a host name, asked of this resolver (`1.1.1.1`, `[::1]:53`) or, without one, of the
   * machine's own; within some seconds.
   */
  lookUp(host: string, resolver: string | null): Promise<Lookup>;
  /**
   * TXT records of a name, each as one text; host names of the name servers of a zone; the name that a CNAME
   * leads to. Asked as `lookUp` asks.
   */
  records(kind: 'TXT' | 'NS' | 'CNAME', name: string, resolver: string | null): Promise<Found>;
}
