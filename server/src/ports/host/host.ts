/**
 * A host is everything that is one machine's: whoever works on a service takes its host once, and passes it
 * on.
 */
import type { AppError } from '../../domain/errors.ts';
import type { Route } from '../../domain/network/routes.ts';
import type { Builder, ImageIntake } from '../engine/builder.ts';
import type { ProxyStore } from '../certificates/certificate-news.ts';
import type { Engine } from '../engine/engine.ts';
import type { EngineView } from '../engine/engine-view.ts';
import type { Proxy } from '../proxy.ts';
import type { Standing, StandingState } from '../engine/standing.ts';
import type { PortWall } from './port-wall.ts';
import type { WorkFiles } from './work-files.ts';

export interface Host {
  /** `local` for Berth's own machine, else the id of the server. */
  key: string;
  /** As sentences name it: "this server", "the server frankfurt". */
  name: string;
  engine: Engine;
  engineView: EngineView;
  builder: Builder;
  /** Where its engine takes images from. */
  imageIntake: ImageIntake;
  /**
   * Brings an image that Berth's own machine has and this one lacks, through the connection; gives whether it
   * is there now. Absent for Berth's own machine.
   */
  fetchImage?: ((reference: string, signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Brings an image that another host's engine has; gives whether it is there now. */
  copyImage(from: ImageIntake, reference: string, signal: AbortSignal): Promise<boolean>;
  networks: HostNetworks;
  proxy: Proxy;
  /** Certificates and accounts as the proxy keeps them. */
  proxyStore: ProxyStore;
  /** Ports of the machine that its proxy takes. */
  proxyPorts: { http: number; https: number };
  files: HostFiles;
  /** Absolute paths as programs of the host see them. */
  folders: HostFolders;
  /** Path on the host of the static busybox that health checks use. */
  probePath: string;
  /** Paths on the host that no service may reach, whoever asks: Berth's data and the engine's. */
  protectedPaths: readonly string[];
  /**
   * The path with every link in it followed: that of its deepest part that exists, and the rest as given.
   * From what the kernel shows of a process (`/proc/1/…`) on, it is as given too. Throws
   * PRECONDITION_FAILED for one that cannot be followed.
   */
  realPath(path: string): Promise<string>;
  facts(): Promise<HostFacts>;
  /** Its routes besides the default ones, and its own addresses; without bridges of the engine. */
  routes(): Promise<readonly Route[]>;
  /**
   * Waits until the machine can be reached; absent for one that always can. Throws what does not mend by
   * itself, SERVICE_UNAVAILABLE when the time is over, and the signal's reason.
   */
  reachable?(waiting: {
    signal: AbortSignal;
    /** Told once, when there is something to wait for, with how long that is at most (milliseconds). */
    onWait(fault: AppError, limitMs: number): void;
  }): Promise<void>;
  /** Why nothing of it can be reached at this moment, as a sentence; undefined when all is well. */
  whySilent?(): string | undefined;
  /** Containers beside all services. */
  standing: Standing;
  /** Its proxy while another server has its swarm; absent where that cannot be. */
  nodeProxy?: NodeProxy | undefined;
  /** What its monitoring agent needs; absent where none can run. */
  agent?: AgentPlaces | undefined;
  /** Keeps its containers from its ports; absent where nobody may set its packet filter from here. */
  portWall?: PortWall | undefined;
  /** Bytes that are free on the disk of a folder there; absent for Berth's own machine. */
  freeBytes?(folder: string): Promise<number>;
  /** Whether nothing on the machine listens on the TCP port, whatever program it is. */
  isPortFree(port: number): Promise<boolean>;
}

/** A container on a node of a cluster, with the ports and the folder of the machine's proxy. */
export interface NodeProxy {
  /** As `Standing` has them. The image must be there. */
  look(made: NodeProxyMade): Promise<StandingState>;
  replace(made: NodeProxyMade): Promise<boolean>;
  settle(): Promise<void>;
  putBack(): Promise<void>;
  /** Attaches it to networks of the swarm; gives how many were new. */
  attach(networks: readonly string[]): Promise<number>;
  /** Ends it; fine when there is none. */
  remove(): Promise<void>;
}

export interface NodeProxyMade {
  image: string;
  network: string;
  migratesRequests: boolean;
}

export interface AgentPlaces {
  /** Unix socket of Berth's own machine that the agent answers on. */
  socket: string;
  /** On the machine itself: the engine's socket, and the proc file system. */
  engineSocket: string;
  proc: string;
}

/** What the machine is at this moment. */
export interface HostFacts {
  /** Release of its kernel, such as `6.1.0-18-amd64`. */
  kernel: string;
  /** Whether the kernel has IP_VS, without which the routing mesh reaches no published port. */
  hasRoutingMesh: boolean;
  /** Whether there is a program at `probePath`. */
  hasProbe: boolean;
  /** Its first outside IPv4 address; undefined when it has none. */
  address: string | undefined;
  /** All its addresses, IPv4 and IPv6, loopback's too. */
  addresses: readonly string[];
  /** As it names itself; empty when it has no name. */
  hostName: string;
}

export interface HostFolders {
  /** Of Berth. */
  data: string;
  /** Of the proxy: its sockets, certificates and log. */
  proxy: string;
  /** With one folder per compose service, for what its services mount of its repository. */
  composes: string;
  /** With one folder per organization that builds, for the sockets of its builder. */
  builders: string;
}

/** Files of the host; what is copied comes from Berth's own machine. */
export type HostFiles = Pick<WorkFiles, 'copyInside' | 'remove' | 'names'>;

/** The overlay networks of the host's swarm. */
export interface HostNetworks {
  ensurePlatform(): Promise<void>;
  /** Makes the environment's network when absent, attaches the proxy to it, and gives its name. */
  ensureEnvironment(environmentId: string): Promise<string>;
  /**
   * Makes the network of a compose service when absent, with its largest packet in bytes, and gives its name;
   * the proxy is not on it.
   */
  ensureCompose(composeId: string, mtu?: number): Promise<string>;
  /** The same for its services that are on internal networks: nothing leads out of it. */
  ensureInternal(composeId: string, mtu?: number): Promise<string>;
  /** Makes a network of this name when absent, of which nothing leads out, and gives the name. */
  ensureSealed(name: string, labels: Record<string, string>): Promise<string>;
  /**
   * Attaches the running proxy to these networks; those it has already cost one look. Gives how many were
   * new.
   */
  attachProxy(names: readonly string[]): Promise<number>;
  /**
   * Removes the networks of environments and compose services that are not among these, with the id of this
   * installation or among `adopted`. Returns their names, those that did not go, and those of known networks
   * without an id.
   */
  removeOrphans(known: {
    environments: ReadonlySet<string>;
    composes: ReadonlySet<string>;
    adopted: ReadonlySet<string>;
  }): Promise<{ removed: string[]; left: LeftNetwork[]; unlabelled: string[] }>;
  /** What the last of these looks could not remove. */
  left(): readonly LeftNetwork[];
  /** Networks whose addresses a route of the machine has too, as the last of these looks found. */
  shadowing(): readonly ShadowingNetwork[];
}

/** A network without an owner that the engine does not let go of, and why. */
export interface LeftNetwork {
  name: string;
  why: string;
}

/** A network that hides what a route of its machine leads to from the containers on it. */
export interface ShadowingNetwork {
  name: string;
  /** In CIDR form. */
  subnet: string;
  route: Route;
}

/** The only way to a host. */
export interface Hosts {
  /**
   * The host of this key. PRECONDITION_FAILED for a server without an SSH key, SERVICE_UNAVAILABLE when the
   * connection cannot be had.
   */
  of(serverKey: string): Promise<Host>;
  /** Undefined for a server that was never connected: nothing of Berth's can be on it. */
  find(serverKey: string): Promise<Host | undefined>;
  /** Every connected one that services can stand on, Berth's own machine first. */
  all(): Promise<Host[]>;
  /** Connected ones that are nodes of another's cluster: they have no swarm of their own. */
  nodes(): Promise<Host[]>;
}
