/** Networks of an engine, as they are asked for and as they are found. */

export interface NetworkSpec {
  name: string;
  /**
   * IPv4 in CIDR form, always explicit. Services get addresses of its lower half, containers attached by hand
   * of its upper one: a /23 serves about 250 tasks.
   */
  subnet: string;
  labels: Record<string, string>;
  /** Nothing leads out of it, and nothing is published from it. */
  internal?: true;
  /** Largest packet between servers, in bytes; the tunnel takes 50 of them. */
  mtu?: number | undefined;
}

/** How a network that is not made yet gets other addresses than the first ones. */
export interface SubnetChoice {
  /** Returns a subnet beside these. */
  another(taken: readonly string[]): Promise<string>;
  /** Subnets that no network of the engine has and this one must not have either; looked up once. */
  outside?(): Promise<readonly NamedSubnet[]>;
}

export interface NamedSubnet {
  /** Of its holder, as sentences have it. */
  name: string;
  /** In CIDR form. */
  subnet: string;
}

export interface NetworkState extends NetworkSpec {
  id: string;
  /** All of its addresses, of IPv4 and IPv6; `subnet` is the first of IPv4. */
  subnets: readonly string[];
}
