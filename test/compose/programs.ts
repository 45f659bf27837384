/** Compose files of programs with their databases, jobs and settings. */
import { expect } from 'vitest';
import { job, server, unawaitedJob, type Kind } from './kind.ts';

export const programs: Record<string, Kind> = {
  'a web program with PostgreSQL and Redis': {
    file: `
      services:
        app:
          image: shop:1
          restart: unless-stopped
          ports: ["8080:8080"]
          environment: ["DATABASE_URL=postgres://shop:\${DB_PASSWORD}@db/shop", LOG_LEVEL]
          depends_on: {db: {condition: service_healthy}, redis: {condition: service_started}}
        db:
          image: postgres:17
          restart: unless-stopped
          shm_size: 128mb
          environment: {POSTGRES_PASSWORD: "\${DB_PASSWORD:?set it}"}
          healthcheck: {test: ["CMD-SHELL", "pg_isready -U shop"], interval: 5s, start_interval: 1s}
          volumes: ["data:/var/lib/postgresql/data"]
        redis: {image: "redis:8", restart: unless-stopped, command: redis-server --save ""}
      volumes: {data: }`,
    variables: { DB_PASSWORD: 'pw' },
    services: {
      app: { ...server, ports: [{ published: 8080, target: 8080, protocol: 'tcp', mode: 'ingress' }] },
      db: { healthCheck: expect.objectContaining({ startIntervalMs: 1000, intervalMs: 5000 }) },
      redis: { command: ['redis-server', '--save', ''] },
    },
  },
  'the same, and the password is not set': {
    file: 'services: {db: {image: "postgres:17", environment: {P: "${DB_PASSWORD:?set it}"}}}',
    refused: /services\.db\.environment\.P needs the variable DB_PASSWORD: set it/,
  },
  'a migration that the program waits for': {
    file: `
      services:
        migrate: {image: "shop:1", command: [migrate], restart: on-failure}
        app: {image: "shop:1", restart: always,
            depends_on: {migrate: {condition: service_completed_successfully}}}`,
    services: { migrate: { ...job, retries: 10 }, app: server },
  },
  'a bucket that nobody waits for': {
    file: `
      services:
        minio: {image: "minio:1", command: server /data, ports: ["9000:9000"]}
        bucket: {image: "mc:1", depends_on: [minio], entrypoint: [sh, -c, "mc mb store/files; exit 0"]}`,
    services: { minio: server, bucket: unawaitedJob },
  },
  'one image with s6-overlay, as linuxserver.io has them': {
    file: `
      services:
        app:
          image: lscr.io/linuxserver/app:latest
          container_name: app
          environment: [PUID=1000, PGID=1000, TZ=Etc/UTC]
          volumes: ["./config:/config", "/etc/localtime:/etc/localtime:ro"]
          ports: ["8083:8083"]
          restart: unless-stopped`,
    services: { app: { container: { init: false }, aliases: ['app'] } },
  },
  'init: true where the file asks for it': {
    file: 'services: {app: {image: "node:24", init: true, restart: always}}',
    services: { app: { container: { init: true } } },
  },
  'environments shared by anchors and merges': {
    file: `
      x-env: &env {A: "1", B: "2"}
      x-app: &app {image: "app:1", restart: always, environment: {<<: *env, C: "3"}}
      services:
        web: {<<: *app, command: web}
        worker: {<<: *app, command: worker}`,
    services: {
      web: {
        environment: [
          ['A', '1'],
          ['B', '2'],
          ['C', '3'],
        ],
      },
    },
  },
  'a GPU behind a profile that nobody chooses': {
    file: `
      services:
        model-cpu: {image: "model:1", profiles: [cpu], restart: unless-stopped}
        model-gpu:
          image: model:1
          profiles: [gpu]
          deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 1, capabilities: [gpu]}]}}}`,
    variables: { COMPOSE_PROFILES: 'cpu' },
    services: { 'model-cpu': server },
    notes: [/Left out by their profiles: model-gpu/],
  },
  'a GPU that is chosen': {
    file:
      'services: {m: {image: x, deploy: {resources: {reservations: {devices: [{capabilities: ' +
      '[gpu]}]}}}}}',
    refused: /services\.m\.deploy\.resources\.reservations\.devices/,
  },
  'a profile without a name, chosen where none is': {
    file:
      'services: {db: {image: "postgres:17", profiles: ["", postgres]}, my: {image: "mysql:9", ' +
      'profiles: [mysql]}}',
    services: { db: {} },
    notes: [/Left out by their profiles: my/],
  },
  'ports for a proxy on the same machine': {
    file: 'services: {app: {image: "app:1", ports: ["127.0.0.1:8000:8000", "[::1]:8001:8001"]}}',
    services: { app: { ...server, ports: [] } },
    notes: [/8000 on the loopback address is not published.*domain with port 8000/, /8001 on the loopback/],
  },
  'labels of Traefik, and its network': {
    file: `
      services:
        app:
          image: app:1
          networks: [proxy]
          labels:
            - traefik.enable=true
            - traefik.http.routers.app.rule=Host(\`app.example.com\`)
            - traefik.http.services.app.loadbalancer.server.port=3000
      networks: {proxy: {external: true}}`,
    services: { app: unawaitedJob },
    notes: [/networks\.proxy is made elsewhere/, /give app the domain app\.example\.com with port 3000/],
  },
  'labels of caddy-docker-proxy': {
    file:
      'services: {app: {image: "app:1", labels: {caddy: app.example.com, caddy.reverse_proxy: ' +
      '"{{upstreams 80}}"}}}',
    notes: [/give app the domain app\.example\.com with port 80/],
  },
  'the names of containers as hosts': {
    file: `
      services:
        kong: {image: "kong:1", container_name: supa-kong, restart: always, links: ["db:database"]}
        db: {image: "db:1", container_name: supa-db, restart: always, security_opt: ["label=disable"]}`,
    services: { db: { aliases: ['supa-db', 'database'] }, kong: { aliases: ['supa-kong'] } },
    notes: [/security_opt: label has no effect/],
  },
  'a hardened program': {
    file: `
      services:
        app:
          image: app:1
          user: "1000:1000"
          read_only: true
          restart: always
          cap_drop: [ALL]
          cap_add: [CHOWN, SETUID]
          security_opt: ["no-new-privileges:true"]
          tmpfs: ["/tmp:size=64m,noexec,mode=1777"]`,
    services: {
      app: {
        container: expect.objectContaining({ noNewPrivileges: true, readOnly: true, user: '1000:1000' }),
        mounts: [
          expect.objectContaining({ type: 'tmpfs', target: '/tmp', sizeBytes: 67_108_864, mode: 0o1777 }),
        ],
      },
    },
    notes: [/tmpfs: noexec has no effect/, /no-new-privileges holds on engines from 25\.0/],
  },
  'a program that switches protection off': {
    file: 'services: {app: {image: x, security_opt: ["seccomp:unconfined", "apparmor=unconfined"]}}',
    services: {
      app: { container: expect.objectContaining({ seccomp: 'unconfined', apparmor: 'unconfined' }) },
    },
    notes: [/seccomp holds on engines from 25\.0/, /apparmor holds on engines from 25\.0/],
    dangers: ['apparmor=unconfined', 'seccomp=unconfined'],
  },
  'a program with a profile that a swarm does not know': {
    file: 'services: {app: {image: x, security_opt: ["apparmor=my-profile"]}}',
    refused: /services\.app\.security_opt has an option that a service of a swarm cannot have/,
  },
  'a seccomp profile that is not there': {
    file: 'services: {app: {image: x, security_opt: ["seccomp=profile.json"]}}',
    refused: /security_opt names the seccomp profile profile\.json, which is not there/,
  },
  'the network of the server': {
    file: 'services: {dns: {image: x, network_mode: host, ports: ["53:53/udp"]}}',
    services: { dns: { ...server, network: 'host', ports: [] } },
    notes: [/services\.dns\.network_mode: host is the network of the server/, /ports has no effect/],
    dangers: ['host'],
  },
  'the network of the server, and settings of it': {
    file: 'services: {dns: {image: x, network_mode: host, sysctls: {net.core.somaxconn: 1}}}',
    refused: /services\.dns\.sysctls\.net\.core\.somaxconn is a setting of the whole server/,
  },
  'two kinds of networks': {
    file: 'services: {dns: {image: x, network_mode: host, networks: [default]}}',
    refused: /services\.dns\.networks cannot be given together with network_mode/,
  },
  'a VPN that others are behind': {
    file:
      'services: {vpn: {image: v, cap_add: [NET_ADMIN], restart: always}, app: {image: a, ' +
      'network_mode: "service:vpn"}}',
    refused: /services\.app\.network_mode/,
  },
  'no network at all': {
    file: 'services: {batch: {image: "batch:1", network_mode: none}}',
    services: { batch: { inside: 'only' } },
    notes: [/services\.batch has network_mode none, and is on internal networks only/],
  },
};
