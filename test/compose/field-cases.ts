/** Compose files that people met with a wrong outcome once, and what becomes of each. */
import { expect } from 'vitest';
import { job, server, unawaitedJob, type Kind } from './kind.ts';

export const fieldCases: Record<string, Kind> = {
  'anonymous volumes of two services': {
    file: `
      services:
        one:
          image: berth/debian:12
          volumes: ["/data"]
          command: ["bash", "-c", "echo of one > /data/one; echo one sees: $$(ls /data); sleep 1000000"]
        two: {image: "berth/debian:12", volumes: ["/data"]}`,
    services: {
      one: {
        command: ['bash', '-c', 'echo of one > /data/one; echo one sees: $(ls /data); sleep 1000000'],
        mounts: [expect.objectContaining({ type: 'volume', isUnnamed: true, target: '/data' })],
      },
      two: { mounts: [expect.objectContaining({ type: 'volume', isUnnamed: true, target: '/data' })] },
    },
  },
  'a dollar sign before a bracket': {
    file: `
      services:
        app: {image: "berth/debian:12", command: ["bash", "-c", "for i in $(seq 1 3); do echo $i; done"]}`,
    // A name follows the second one, as in docker compose.
    services: { app: { command: ['bash', '-c', 'for i in $(seq 1 3); do echo ; done'] } },
    notes: [/The variable i .*is not set/],
  },
  'an empty address before a port': {
    file: `
      services:
        app: {image: "berth/node:24", ports: ["\${BIND:-}:8099:3000"]}`,
    services: { app: { ports: [{ published: 8099, target: 3000, protocol: 'tcp', mode: 'ingress' }] } },
  },
  'labels of Traefik with a port': {
    file: `
      services:
        web:
          image: berth/node:24
          labels:
            - traefik.enable=true
            - "traefik.http.routers.shop.rule=Host(\`shop.localhost\`)"
            - traefik.http.services.shop.loadbalancer.server.port=3000`,
    notes: [/give web the domain shop\.localhost with port 3000/],
  },
  'fewer capabilities than a container has': {
    file: `
      services:
        app: {image: "berth/debian:12", cap_drop: [ALL], cap_add: [CHOWN, SETUID, SETGID]}`,
    dangers: [],
  },
  'quick checks while it starts': {
    file: `
      services:
        app:
          image: berth/debian:12
          healthcheck: {test: ["CMD", "true"], interval: 30s, start_period: 60s, start_interval: 1s}`,
    services: {
      app: {
        healthCheck: expect.objectContaining({
          intervalMs: 30_000,
          startPeriodMs: 60_000,
          startIntervalMs: 1000,
        }),
      },
    },
  },
  'an internal network alone': {
    file: `
      services:
        db: {image: "berth/debian:12", networks: [back]}
      networks:
        back: {internal: true}`,
    services: { db: { inside: 'only' } },
    notes: [/services\.db is on internal networks only/],
  },
  'a VPN that forwards': {
    file: `
      services:
        vpn: {image: "berth/debian:12", cap_add: [NET_ADMIN]}`,
    services: { vpn: { sysctls: { 'net.ipv4.ip_forward': '1' } } },
    dangers: ['CAP_NET_ADMIN'],
  },
  'a job that is tried again': {
    file: `
      services:
        web: {image: "berth/node:24", ports: ["3000"]}
        migrate: {image: "berth/debian:12", restart: on-failure, entrypoint: ["bash", "-c", "exit 0"]}`,
    services: { web: server, migrate: unawaitedJob },
    notes: [/services\.web\.ports/],
  },
  'a job without restart beside a server': {
    file: `
      services:
        web: {image: "berth/node:24", ports: ["3000"]}
        bucket: {image: "berth/debian:12", depends_on: [web], entrypoint: ["bash", "-c", "exit 0"]}`,
    services: { web: server, bucket: unawaitedJob },
    notes: [/services\.web\.ports/],
  },
  'the clock of the server': {
    file: `
      services:
        app: {image: "berth/debian:12", volumes: ["/etc/localtime:/etc/localtime:ro"]}`,
    dangers: [],
  },
  'a port on the loopback address, and the gateway of the host': {
    file: `
      services:
        web:
          image: berth/node:24
          ports: ["127.0.0.1:18081:3000"]
          extra_hosts: ["host.docker.internal:host-gateway"]`,
    services: { web: { ...server, ports: [] } },
    notes: [/3000/],
  },
  'a merge of a list': {
    file: `
      x-volumes: &volumes
        - data:/data
      services:
        app:
          image: berth/debian:12
          volumes:
            <<: *volumes
      volumes:
        data:`,
    refused: /line 7, column 7: "<<" merges a map, or a list of maps/,
  },
  'a folder of the server that may be missing': {
    file: `
      services:
        app: {image: "berth/debian:12", volumes: ["/srv/not-there:/data"]}`,
    dangers: ['/srv/not-there'],
  },
  'a program that has to be process 1': {
    file: `
      services:
        app:
          image: berth/debian:12
          entrypoint:
            - bash
            - -c
            - 'if [ $$$$ != 1 ]; then echo "can only run as pid 1"; exit 100; fi; sleep 1000000'`,
    services: {
      app: {
        container: { init: false },
        entrypoint: [
          'bash',
          '-c',
          'if [ $$ != 1 ]; then echo "can only run as pid 1"; exit 100; fi; sleep 1000000',
        ],
      },
    },
  },
  'a published port': {
    file: `
      services:
        web: {image: "berth/node:24", ports: ["18099:3000"]}`,
    services: {
      web: { ...server, ports: [{ published: 18_099, target: 3000, protocol: 'tcp', mode: 'ingress' }] },
    },
  },
  'a restart policy with a word of docker compose': {
    file: `
      services:
        app: {image: "berth/debian:12", deploy: {restart_policy: {condition: always}}}`,
    services: { app: server },
  },
  'a folder that one writes and another reads': {
    file: `
      services:
        app: {image: "berth/debian:12", volumes: ["./uploads:/uploads"]}
        nginx: {image: "berth/debian:12", volumes: ["./uploads:/srv:ro"]}`,
    services: {
      app: { mounts: [{ type: 'own', path: './uploads', target: '/uploads', readOnly: false }] },
      nginx: { mounts: [{ type: 'own', path: './uploads', target: '/srv', readOnly: true }] },
    },
  },
  'an underscore in a host name': {
    file: `
      services:
        hostname: {image: "berth/debian:12", hostname: my_host}`,
    services: { hostname: { container: expect.objectContaining({ hostname: 'my_host' }) } },
  },
  'misspelt keys below the first level': {
    file: `
      services:
        app:
          image: berth/debian:12
          volumes: [{type: volume, source: data, target: /data, readonly: true}]
          healthcheck: {test: ["CMD", "true"], intervall: 5s}
          logging: {option: {max-size: 1m}}
          depends_on: {db: {conditon: service_healthy}}
        db: {image: "berth/debian:12"}
      volumes:
        data: {extern: true}`,
    refused: /services\.app\.volumes\.0\.readonly is not a key that Berth supports\. Did you mean read_only/,
  },
  'one service with nearly everything': {
    file: `
      services:
        app:
          image: berth/debian:12
          user: "1000:1000"
          group_add: ["44"]
          hostname: web-1
          working_dir: /tmp
          init: false
          read_only: true
          stop_signal: SIGINT
          stop_grace_period: 1m30s
          shm_size: 256m
          tmpfs: ["/run:size=16m,mode=1770"]
          ulimits: { nofile: { soft: 1024, hard: 4096 }, nproc: 512 }
          cap_drop: [ALL]
          cap_add: [NET_BIND_SERVICE]
          sysctls: { net.core.somaxconn: 1024 }
          logging: { driver: json-file, options: { max-size: 5m, tag: "{{.Name}}" } }
          dns: [127.0.0.11]
          dns_search: [corp.example]
          extra_hosts: ["api.corp:10.1.2.3"]
          mem_limit: 128m
          cpus: 0.5
          pids_limit: 100
          environment: [TZ=Europe/Berlin, EMPTY=, FROM_VARS]
          labels: { com.example.team: a }
          networks:
            front: { aliases: [www, "realtime-dev.alias"] }
          configs: [{source: conf, target: /etc/app.conf, uid: "1000", gid: "1000", mode: "0400"}]
          secrets: [token]
          healthcheck: { test: "test -e /etc/app.conf", interval: 5s, timeout: 3s, retries: 4 }
          command: ["bash", "-c", "echo pid=$$$$ tz=$$TZ"]
      configs:
        conf:
          content: |
            level=\${LEVEL:-info} price=$$5
      secrets:
        token: {environment: TOKEN}
      networks:
        front: {name: my-front, driver_opts: {com.docker.network.driver.mtu: "1400"}}`,
    services: {
      app: {
        stopGracePeriodMs: 90_000,
        aliases: ['www', 'realtime-dev.alias'],
        environment: [
          ['TZ', 'Europe/Berlin'],
          ['EMPTY', ''],
          ['FROM_VARS', null],
        ],
        limits: { memoryBytes: 134_217_728, nanoCpus: 500_000_000, pids: 100 },
        command: ['bash', '-c', 'echo pid=$$ tz=$TZ'],
        files: [
          expect.objectContaining({ target: '/etc/app.conf', uid: '1000', gid: '1000', mode: 0o400 }),
          expect.objectContaining({ target: '/run/secrets/token', isSecret: true }),
        ],
      },
    },
    notes: [/networks\.front\.name has no effect/, /at most 1400 bytes/],
    dangers: ['268435456 bytes', 'net.core.somaxconn=1024'],
  },
  'one block in more than a hundred places': {
    file: [
      'x-base: &base',
      '  image: berth/debian:12',
      '  environment: &env { A: "1", B: "2" }',
      'services:',
      ...Array.from({ length: 40 }, (_, index) =>
        [
          `  w${index}:`,
          '    <<: *base',
          '    environment:',
          '      <<: *env',
          `      N: "${index}"`,
          '    labels: *env',
        ].join('\n      '),
      ),
    ].join('\n      '),
    services: {
      w39: {
        environment: expect.arrayContaining([
          ['A', '1'],
          ['N', '39'],
        ]),
        labels: { A: '1', B: '2' },
      },
    },
  },
  'a stack with a worker and a job before it': {
    file: `
      x-app: &app
        image: berth/node:24
        restart: unless-stopped
        env_file: .env
        environment: &app-env
          DATABASE_URL: postgres://app:\${POSTGRES_PASSWORD:?set a password}@db:5432/app
          LOG_LEVEL: \${LOG_LEVEL:-info}
      services:
        web:
          <<: *app
          ports: ["3000"]
          volumes: ["shared:/shared:ro"]
          depends_on:
            db: {condition: service_healthy}
            migrate: {condition: service_completed_successfully}
        worker: {<<: *app, depends_on: [web]}
        migrate:
          <<: *app
          restart: "no"
          volumes: ["shared:/shared"]
          depends_on: {db: {condition: service_healthy}}
        db:
          image: berth/postgres:15
          restart: unless-stopped
          environment: {POSTGRES_PASSWORD: "\${POSTGRES_PASSWORD}"}
          volumes: ["db:/var/lib/postgresql/data"]
          shm_size: 128mb
          healthcheck:
            test: ["CMD-SHELL", "pg_isready -U $$\{POSTGRES_USER}"]
            interval: 5s
      volumes: {shared: , db: {}}`,
    variables: { POSTGRES_PASSWORD: 'p@$$w' },
    services: {
      web: {
        ...server,
        envFiles: [{ path: '.env', required: true }],
        environment: [
          ['DATABASE_URL', 'postgres://app:p@$$w@db:5432/app'],
          ['LOG_LEVEL', 'info'],
        ],
        mounts: [expect.objectContaining({ type: 'volume', name: 'shared', readOnly: true })],
        dependsOn: [
          { service: 'db', condition: 'healthy' },
          { service: 'migrate', condition: 'completed' },
        ],
      },
      worker: { ...server, dependsOn: [{ service: 'web', condition: 'started' }] },
      migrate: job,
      db: {
        healthCheck: { test: ['CMD-SHELL', 'pg_isready -U ${POSTGRES_USER}'], intervalMs: 5000 },
        mounts: expect.arrayContaining([
          expect.objectContaining({ type: 'tmpfs', target: '/dev/shm', sizeBytes: 128 * 2 ** 20 }),
        ]),
      },
    },
    notes: [/3000 names no port of the server/],
  },
};
