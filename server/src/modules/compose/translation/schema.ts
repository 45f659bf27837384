/**
 * Every key below the first level of a service and of the definitions (compose-spec, compose-spec.json of
 * 2025-11), and what becomes of it here. A key without a word is read by the other files of this folder.
 */
export type Fate = { note: string } | { refusal: string };

export interface Key {
  fate?: Fate;
  /** Its value is a map with these keys. */
  keys?: Level;
  /** Its value is a map of names, each a map with these keys. */
  each?: Level;
  /** Its value is a list, in which maps have these keys. */
  items?: Level;
}

export type Level = Readonly<Record<string, Key>>;

const read: Key = {};
const note = (why: string): Key => ({ fate: { note: why } });
const refusal = (why: string): Key => ({ fate: { refusal: why } });
const reads = (...names: string[]): Level => Object.fromEntries(names.map((name) => [name, read]));

const byName = note('the engine gives addresses itself, and services reach each other by their names');
const noSwarm = 'is not possible with a service of a swarm';
const builder = refusal("is not possible with Berth's builder");
const mountedFile: Level = reads('source', 'target', 'uid', 'gid', 'mode');

const build: Level = {
  ...reads('context', 'dockerfile', 'dockerfile_inline', 'target', 'args', 'no_cache'),
  pull: note('the images that it is built from are asked for anew'),
  labels: note('Berth labels its images itself'),
  tags: note('Berth names its images itself'),
  cache_from: note("Berth's builder keeps a cache of its own"),
  cache_to: note("Berth's builder keeps a cache of its own"),
  platforms: note('it is built for this server'),
  shm_size: note("Berth's builder has limits of its own"),
  ulimits: note("Berth's builder has limits of its own"),
  provenance: note('no attestations are made'),
  sbom: note('no attestations are made'),
  no_cache_filter: note('use no_cache'),
  isolation: note('it is a setting of Windows'),
  additional_contexts: builder,
  entitlements: builder,
  extra_hosts: builder,
  network: builder,
  privileged: builder,
  secrets: builder,
  ssh: builder,
};

const resources: Level = {
  limits: { keys: reads('cpus', 'memory', 'pids') },
  reservations: {
    keys: {
      ...reads('cpus', 'memory'),
      devices: refusal(`${noSwarm}: devices of the server are out of its reach`),
      generic_resources: refusal(`${noSwarm} here; use placement.constraints`),
    },
  },
};

const updates: Level = {
  ...reads('parallelism', 'delay', 'monitor', 'order'),
  failure_action: note('a version that fails is always rolled back'),
  max_failure_ratio: note('a version that fails is always rolled back'),
};

const deploy: Level = {
  ...reads('mode', 'replicas', 'labels'),
  endpoint_mode: note('Berth decides it'),
  rollback_config: { ...note('Berth decides it'), keys: reads(...Object.keys(updates)) },
  update_config: { keys: updates },
  resources: { keys: resources },
  restart_policy: {
    keys: {
      ...reads('condition', 'delay', 'max_attempts'),
      window: note('a service is healthy or not by its check'),
    },
  },
  placement: {
    keys: { ...reads('constraints', 'max_replicas_per_node'), preferences: { items: reads('spread') } },
  },
};

const volumes: Level = {
  ...reads('type', 'source', 'target', 'read_only'),
  consistency: note('it is a setting of Docker Desktop'),
  bind: {
    keys: {
      propagation: read,
      create_host_path: note('a folder of the server has to be there; use a volume, or make it by hand'),
      recursive: note("the engine's default holds"),
      selinux: note('this system has no SELinux labels'),
    },
  },
  volume: {
    keys: {
      subpath: read,
      nocopy: note('a new volume gets what the image has at its path'),
      labels: note('Berth labels its volumes itself'),
    },
  },
  tmpfs: { keys: reads('size', 'mode') },
  image: refusal('is not possible with this engine; put the files into the image of the service'),
};

/** Below the first level of a service. */
export const belowService: Level = {
  build: { keys: build },
  configs: { items: mountedFile },
  secrets: { items: mountedFile },
  depends_on: {
    each: {
      ...reads('condition', 'required'),
      restart: note('a service is never restarted because another one was'),
    },
  },
  deploy: { keys: deploy },
  env_file: { items: reads('path', 'required', 'format') },
  extends: { keys: reads('service', 'file') },
  healthcheck: {
    keys: reads('disable', 'interval', 'retries', 'test', 'timeout', 'start_period', 'start_interval'),
  },
  logging: { keys: reads('driver', 'options') },
  networks: {
    each: {
      aliases: read,
      priority: note('a service has one network of the file at most'),
      gw_priority: note('a service has one network of the file at most'),
      interface_name: note('the engine names interfaces itself'),
      ipv4_address: byName,
      ipv6_address: byName,
      link_local_ips: byName,
      mac_address: byName,
      driver_opts: note('Berth makes the network'),
    },
  },
  ports: {
    items: {
      ...reads('target', 'published', 'protocol', 'mode', 'host_ip'),
      name: note('it is for people'),
      app_protocol: note('it is for people'),
    },
  },
  ulimits: { each: reads('soft', 'hard') },
  volumes: { items: volumes },
};

const external: Key = { keys: reads('name') };

/** What configs and secrets have alike. */
const storedFile: Level = {
  ...reads('content', 'environment', 'file'),
  external: refusal(
    'is made elsewhere in the engine, which is out of reach; give it content, file or environment',
  ),
  name: note('Berth names it by its content'),
  labels: note('Berth labels it itself'),
};

/** Definitions beside the services, each by its name. */
export const belowTop: Level = {
  volumes: {
    each: {
      ...reads('name', 'driver', 'driver_opts'),
      external,
      labels: note('Berth labels its volumes itself'),
    },
  },
  networks: {
    each: {
      ...reads('driver', 'driver_opts', 'internal', 'name'),
      external,
      ipam: {
        ...note('Berth gives the network its addresses'),
        keys: {
          ...reads('driver', 'options'),
          config: { items: reads('subnet', 'ip_range', 'gateway', 'aux_addresses') },
        },
      },
      attachable: note('Berth makes the network'),
      enable_ipv4: note('Berth gives the network its addresses'),
      enable_ipv6: note('Berth gives the network its addresses'),
      labels: note('Berth labels its networks itself'),
    },
  },
  configs: {
    each: {
      ...storedFile,
      template_driver: refusal('is not possible; write the values with variables, as ${NAME}, in content'),
    },
  },
  secrets: {
    each: {
      ...storedFile,
      driver: refusal('is not possible; use file or environment'),
      driver_opts: refusal('is not possible; use file or environment'),
      template_driver: refusal('is not possible; use file or environment'),
    },
  },
};
