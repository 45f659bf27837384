/** Compose files that ask something of their machine, its networks or its swarm. */
import { expect } from 'vitest';
import { job, server, type Kind } from './kind.ts';

export const machines: Record<string, Kind> = {
  'a monitor that reads the server': {
    file: 'services: {m: {image: x, restart: always, pid: host, volumes: ["/:/host:ro"]}}',
    refused: /services\.m\.pid/,
  },
  'a program that steers the engine': {
    file:
      'services: {p: {image: "portainer:2", restart: always, volumes: ' +
      '["/var/run/docker.sock:/var/run/docker.sock"]}}',
    dangers: ['/var/run/docker.sock'],
  },
  'volumes that are folders of the server': {
    file: `
      services: {app: {image: "app:1", restart: always, volumes: ["files:/files", "scratch:/scratch"]}}
      volumes:
        files: {driver: local, driver_opts: {type: none, o: bind, device: /srv/files}}
        scratch: {driver_opts: {type: tmpfs, device: tmpfs}}`,
    services: {
      app: {
        mounts: [
          { type: 'bind', path: '/srv/files', target: '/files', readOnly: false },
          expect.objectContaining({
            type: 'volume',
            target: '/scratch',
            driverOptions: { type: 'tmpfs', device: 'tmpfs' },
          }),
        ],
      },
    },
    dangers: ['/srv/files'],
  },
  'memory that services share, of bounded size and of more': {
    file: `
      services: {a: {image: "a:1", volumes: ["small:/s"]}, b: {image: "b:1", volumes: ["large:/l"]}}
      volumes:
        small: {driver_opts: {type: tmpfs, device: tmpfs, o: "size=100m,uid=1000"}}
        large: {driver_opts: {type: tmpfs, device: tmpfs, o: "size=2g"}}`,
    dangers: ['device=tmpfs o=size=2g type=tmpfs'],
  },
  'volumes on a file server': {
    file: `
      services: {app: {image: "app:1", volumes: ["files:/files"]}}
      volumes: {files: {driver_opts: {type: nfs, o: "addr=10.0.0.2,rw", device: ":/files"}}}`,
    services: {
      app: {
        mounts: [
          expect.objectContaining({
            type: 'volume',
            name: 'files',
            driverOptions: { type: 'nfs', o: 'addr=10.0.0.2,rw', device: ':/files' },
          }),
        ],
      },
    },
    dangers: ['device=:/files o=addr=10.0.0.2,rw type=nfs'],
  },
  'a volume that binds a folder beside the file': {
    file: `
      services: {app: {image: "app:1", volumes: ["files:/files"]}}
      volumes: {files: {driver_opts: {type: none, o: bind, device: ./files}}}`,
    refused: /volumes\.files\.driver_opts binds no absolute path/,
  },
  'volumes with names of their own, of which one is made elsewhere': {
    file: `
      services: {app: {image: "app:1", volumes: ["a:/a", "b:/b"]}}
      volumes: {a: {name: shop-data}, b: {name: theirs, external: true}}`,
    services: {
      app: {
        mounts: [
          {
            type: 'volume',
            name: 'shop-data',
            isForeign: true,
            mayBeMissing: true,
            target: '/a',
            readOnly: false,
          },
          { type: 'volume', name: 'theirs', isForeign: true, target: '/b', readOnly: false },
        ],
      },
    },
    dangers: ['shop-data', 'theirs'],
  },
  'the volumes of another service': {
    file: `
      services:
        app: {image: "app:1", restart: always, volumes: ["html:/html", "/cache", "./conf:/conf"]}
        web: {image: "web:1", restart: always, volumes_from: ["app:ro"], volumes: ["own:/cache"]}
        backup: {image: "b:1", restart: always, volumes_from: [web]}
      volumes: {html: , own: }`,
    services: {
      web: {
        dependsOn: [{ service: 'app', condition: 'started' }],
        volumesFrom: [{ service: 'app', readOnly: true }],
        mounts: [
          expect.objectContaining({ type: 'volume', name: 'own', target: '/cache', readOnly: false }),
          expect.objectContaining({ type: 'volume', name: 'html', target: '/html', readOnly: true }),
          { type: 'own', path: './conf', target: '/conf', readOnly: true },
        ],
      },
      backup: {
        mounts: [
          expect.objectContaining({ name: 'own', target: '/cache', readOnly: false }),
          expect.objectContaining({ name: 'html', target: '/html', readOnly: true }),
          { type: 'own', path: './conf', target: '/conf', readOnly: true },
        ],
      },
    },
  },
  'the volumes of each other': {
    file: 'services: {a: {image: x, volumes_from: [b]}, b: {image: x, volumes_from: [a]}}',
    refused: /services\.a\.volumes_from is circular: a → b → a/,
  },
  'the volumes of a container': {
    file: 'services: {a: {image: x, volumes_from: ["container:other"]}}',
    refused: /services\.a\.volumes_from\.0 names a container/,
  },
  'driver_opts without values': {
    file:
      'services: {app: {image: "a:1", volumes: ["files:/f"]}}\nvolumes: {files: {driver_opts: {type: "", ' +
      'o: "", device: ""}}}',
    services: { app: { mounts: [expect.objectContaining({ type: 'volume', name: 'files' })] } },
  },
  'keys that are reset and overridden': {
    file: `
      services:
        web: {image: "web:1", restart: always, ports: ["8080:80"], environment: {A: "1"}, dns: [192.0.2.1],
            volumes: ["one:/data", "two:/other"]}
        quiet: {extends: web, ports: !reset [], environment: !override {B: "2"}, dns: !reset null,
            volumes: ["two:/data:ro"]}
      volumes: {one: , two: }`,
    services: {
      quiet: {
        ports: [],
        environment: [['B', '2']],
        mounts: [
          expect.objectContaining({ name: 'two', target: '/data', readOnly: true }),
          expect.objectContaining({ name: 'two', target: '/other' }),
        ],
      },
    },
  },
  'a folder outside of the repository': {
    folder: '',
    file: 'services: {app: {image: "app:1", volumes: ["../shared:/data"]}}',
    refused: /services\.app\.volumes leads to \.\.\/shared, out of the repository/,
  },
  'an agent on each node': {
    file: 'services: {agent: {image: "agent:2", deploy: {mode: global, restart_policy: {condition: any}}}}',
    services: { agent: { ...server, replicas: 1 } },
    notes: [/deploy\.mode: global means one task here/],
  },
  'a job of a swarm': {
    file: 'services: {once: {image: "once:2", deploy: {mode: replicated-job}}}',
    services: { once: job },
  },
  'a stack with everything under deploy': {
    file: `
      services:
        web:
          image: web:3
          ports: [{target: 80, published: "8088", protocol: tcp, mode: ingress, name: http,
              app_protocol: http}]
          deploy:
            replicas: 2
            endpoint_mode: vip
            update_config: {parallelism: 1, delay: 5s, order: start-first, failure_action: rollback,
                monitor: 10s}
            rollback_config: {parallelism: 0}
            restart_policy: {condition: on-failure, delay: 5s, max_attempts: 3, window: 120s}
            placement: {constraints: ["node.role == manager"], preferences: [{spread: node.labels.zone}]}
            resources: {limits: {cpus: "0.50", memory: 128M}, reservations: {cpus: "0.1", memory: 64M}}`,
    services: {
      web: {
        replicas: 2,
        updateOrder: 'start-first',
        restartDelayMs: 5000,
        spreadOver: ['node.labels.zone'],
      },
    },
    notes: [
      /ports\.0\.name has no effect/,
      /ports\.0\.app_protocol/,
      /endpoint_mode/,
      /failure_action/,
      /rollback_config/,
      /window/,
      /is a server, so it is started again whenever it ends/,
      /number of attempts has no effect/,
    ],
  },
  'a network without a way out': {
    file: `
      services:
        proxy: {image: "squid:6", restart: always, networks: [inside, default]}
        box: {image: "sandbox:1", restart: always, networks: [inside]}
      networks: {inside: {driver: bridge, internal: true}}`,
    services: { proxy: { inside: 'also' }, box: { inside: 'only' } },
    notes: [/services\.box is on internal networks only/],
  },
  'addresses that are given by hand': {
    file: `
      services: {dns: {image: "unbound:1", restart: always,
          networks: {net: {ipv4_address: 172.22.1.254, aliases: [unbound]}}}}
      networks: {net: {driver: bridge, enable_ipv6: true, ipam: {driver: default,
          config: [{subnet: 172.22.1.0/24}]}}}`,
    services: { dns: { aliases: ['unbound'] } },
    notes: [/enable_ipv6 has no effect/, /ipam has no effect/, /networks\.net\.ipv4_address has no effect/],
  },
  'folders beside the file, with labels of SELinux': {
    file:
      'services: {mail: {image: "postfix:3", restart: always, volumes: ["./data/conf:/conf:ro,Z", ' +
      '"./data/web:/web:Z", "spool:/spool"]}}\nvolumes: {spool: }',
    services: {
      mail: {
        mounts: [
          { type: 'own', path: './data/conf', target: '/conf', readOnly: true },
          { type: 'own', path: './data/web', target: '/web', readOnly: false },
          expect.objectContaining({ type: 'volume', name: 'spool' }),
        ],
      },
    },
    notes: [/volumes: the option Z has no effect/],
  },
  'a port or nothing by a variable': {
    file:
      'services: {app: {image: "photos:2", restart: always, ports: ["${EXPOSE_PORT-:2283:2283}"], ' +
      'healthcheck: {disable: false}}}',
    services: { app: { ports: [{ published: 2283, target: 2283, protocol: 'tcp', mode: 'ingress' }] } },
    notes: [/healthcheck has no effect without a test/],
  },
  'dollar signs in defaults and commands': {
    file: `
      services:
        app:
          image: app:1
          environment: {HASH: "\${HASH:-$2a$14$9abc}", EMPTY: $$PATH}
          command: ["sh", "-c", "echo $(date) $$HOME && exec app"]`,
    services: {
      app: {
        environment: [
          ['HASH', '$2a$14$9abc'],
          ['EMPTY', '$PATH'],
        ],
        command: ['sh', '-c', 'echo $(date) $HOME && exec app'],
      },
    },
  },
  'the machine by its name': {
    file:
      'services: {ui: {image: "ui:1", restart: always, extra_hosts: ' +
      '["host.docker.internal:host-gateway"]}}',
    services: {
      ui: {
        container: expect.objectContaining({
          hosts: [{ name: 'host.docker.internal', address: 'host-gateway' }],
        }),
      },
    },
  },
  'secrets and configs': {
    file: `
      services:
        app:
          image: app:1
          restart: always
          secrets: [db_password, {source: token, target: /run/token, mode: 0440, uid: "1000"}]
          configs: [{source: settings, target: /etc/app.conf}]
      secrets: {db_password: {environment: DB_PASSWORD}, token: {file: ./token.txt}}
      configs: {settings: {content: "level=\${LEVEL:-info}"}}`,
    notes: [/app\.secrets\.1: has the mode 0440 .* docker compose passes that over/],
    services: {
      app: {
        files: [
          expect.objectContaining({
            target: '/etc/app.conf',
            source: { from: 'content', content: 'level=info' },
          }),
          expect.objectContaining({ target: '/run/secrets/db_password' }),
          expect.objectContaining({ target: '/run/token', mode: 0o440, uid: '1000' }),
        ],
      },
    },
  },
  'a secret that was made by hand': {
    file: 'services: {app: {image: x, secrets: [s]}}\nsecrets: {s: {external: true}}',
    refused: /secrets\.s\.external is made elsewhere/,
  },
  'a build for several platforms': {
    folder: '',
    file: `
      services:
        app:
          image: registry.example.com/app:1
          restart: always
          build: {context: ., target: prod, args: {V: "1"}, platforms: [linux/amd64],
              cache_from: ["app:cache"], tags: ["app:1"]}
          develop: {watch: [{path: ., action: rebuild}]}`,
    services: { app: { build: expect.objectContaining({ context: '', target: 'prod' }) } },
    notes: [
      /develop has no effect/,
      /build\.platforms has no effect/,
      /build\.cache_from/,
      /build\.tags/,
      /image has no effect: Berth builds/,
    ],
  },
  'a build in a file of the record': {
    file: 'services: {app: {build: .}}',
    refused: /services\.app\.build needs a repository/,
  },
  'extensions of another platform': {
    file: 'services: {app: {image: x, exclude_from_hc: true}}',
    refused: /line 1: services\.app\.exclude_from_hc is not a key that Berth supports/,
  },
  "keys that need a machine of one's own": {
    file: 'services: {cam: {image: x, privileged: true, devices: ["/dev/video0:/dev/video0"]}}',
    refused: /services\.cam\.privileged is not possible/,
  },
};
