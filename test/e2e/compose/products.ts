/**
 * Compose files in the style of those that products publish, with programs that stand in for theirs: they ask
 * their neighbours by the names of the file, end where a job would, and insist on being process 1 where
 * s6-overlay does.
 */

export interface Product {
  file: string;
  env?: string;
  /** File mounts beside it, by their paths. */
  files?: Record<string, string>;
  /** Where its domain leads. */
  serviceName: string;
  port: number;
}

/**
 * Answers "up" once each `host:port` of ASK takes a connection. With S6 it ends unless it is process 1.
 */
const program = `
if (process.env.S6 && process.pid !== 1) { console.log('can only run as pid 1'); process.exit(100); }
const { connect } = require('node:net');
const reached = (address) => new Promise((resolve) => {
  const [host, port] = address.split(':');
  const socket = connect(Number(port), host);
  socket.once('connect', () => { socket.destroy(); resolve(''); });
  socket.once('error', (error) => resolve(address + ' ' + error.code + ' '));
});
require('node:http').createServer(async (request, response) => {
  const asked = (process.env.ASK || '').split(' ').filter(Boolean);
  response.end((await Promise.all(asked.map(reached))).join('') || 'up');
}).listen(Number(process.env.LISTEN));
`;
const run = `image: berth/node:24\n    command: ["node", "-e", ${JSON.stringify(program)}]`;
const postgres = 'image: berth/postgres:15';
const mariadb = 'image: berth/mariadb:10.11';

export const products: Readonly<Record<string, Product>> = {
  wordpress: {
    serviceName: 'wordpress',
    port: 80,
    file: `
services:
  wordpress:
    ${run}
    restart: always
    ports: ["8080:80"]
    environment: { ASK: "db:3306", LISTEN: 80 }
    volumes: ["wordpress:/var/www/html"]
  db:
    ${mariadb}
    restart: always
    environment:
      MARIADB_DATABASE: exampledb
      MARIADB_USER: exampleuser
      MARIADB_PASSWORD: examplepass
      MARIADB_RANDOM_ROOT_PASSWORD: '1'
    volumes: ["db:/var/lib/mysql"]
volumes: { wordpress: , db: }
`,
  },
  nextcloud: {
    serviceName: 'app',
    port: 80,
    env: 'MYSQL_PASSWORD=nextcloud-pw',
    file: `
services:
  db:
    ${mariadb}
    restart: always
    volumes: ["db:/var/lib/mysql"]
    environment: [MARIADB_ROOT_PASSWORD=root, "MARIADB_PASSWORD=\${MYSQL_PASSWORD}",
      MARIADB_DATABASE=nextcloud,
      MARIADB_USER=nextcloud]
  redis: { image: "berth/redis:7", restart: always }
  app:
    ${run}
    restart: always
    ports: ["127.0.0.1:8080:80"]
    depends_on: [redis, db]
    volumes: ["nextcloud:/var/www/html"]
    environment: { ASK: "db:3306 redis:6379", LISTEN: 80 }
  cron:
    image: berth/node:24
    restart: always
    volumes: ["nextcloud:/var/www/html"]
    entrypoint: ["node", "-e", "setInterval(() => {}, 1000)"]
    depends_on: [db, redis]
volumes: { db: , nextcloud: }
`,
  },
  gitea: {
    serviceName: 'server',
    port: 3000,
    file: `
networks: { gitea: { external: false } }
services:
  server:
    ${run}
    container_name: gitea
    environment: [USER_UID=1000, USER_GID=1000, "ASK=db:5432 gitea:3000", LISTEN=3000]
    restart: always
    networks: [gitea]
    volumes: ["./gitea:/data", "/etc/timezone:/etc/timezone:ro", "/etc/localtime:/etc/localtime:ro"]
    ports: ["3000:3000", "2222:22"]
    depends_on: [db]
  db:
    ${postgres}
    restart: always
    environment: [POSTGRES_USER=gitea, POSTGRES_PASSWORD=gitea, POSTGRES_DB=gitea]
    networks: [gitea]
    volumes: ["./postgres:/var/lib/postgresql/data"]
`,
  },
  n8n: {
    serviceName: 'n8n',
    port: 5678,
    env: 'POSTGRES_USER=root\nPOSTGRES_PASSWORD=pw-of-n8n\nPOSTGRES_DB=n8n',
    file: `
volumes: { db_storage: , n8n_storage: }
services:
  postgres:
    ${postgres}
    restart: always
    environment: [POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB]
    volumes: ["db_storage:/var/lib/postgresql/data"]
    healthcheck:
      test: ['CMD-SHELL', 'pg_isready -h localhost -U \${POSTGRES_USER} -d \${POSTGRES_DB}']
      interval: 5s
      timeout: 5s
      retries: 10
  n8n:
    ${run}
    restart: always
    environment: { ASK: "postgres:5432 database:5432", LISTEN: 5678 }
    ports: ["5678:5678"]
    links: ["postgres:database"]
    volumes: ["n8n_storage:/home/node/.n8n"]
    depends_on: { postgres: { condition: service_healthy } }
`,
  },
  umami: {
    serviceName: 'umami',
    port: 3000,
    file: `
services:
  umami:
    ${run}
    ports: ["3000:3000"]
    environment: { ASK: "db:5432", LISTEN: 3000, APP_SECRET: replace-me-with-a-random-string }
    depends_on: { db: { condition: service_healthy } }
    init: true
    restart: always
    healthcheck:
      test: ["CMD-SHELL", "node -e \\"fetch('http://localhost:3000').catch(() => process.exit(1))\\""]
      interval: 5s
      timeout: 5s
      retries: 5
  db:
    ${postgres}
    environment: { POSTGRES_DB: umami, POSTGRES_USER: umami, POSTGRES_PASSWORD: umami }
    volumes: ["umami-db-data:/var/lib/postgresql/data"]
    restart: always
    healthcheck:
      test: ["CMD-SHELL", "pg_isready -U $\${POSTGRES_USER} -d $\${POSTGRES_DB}"]
      interval: 5s
      timeout: 5s
      retries: 5
volumes: { umami-db-data: }
`,
  },
  ghost: {
    serviceName: 'ghost',
    port: 2368,
    file: `
services:
  ghost:
    ${run}
    restart: always
    ports: ["8082:2368"]
    environment: { ASK: "db:3306", LISTEN: 2368, url: "http://localhost:8082" }
    volumes: ["ghost:/var/lib/ghost/content"]
    depends_on: [db]
  db:
    ${mariadb}
    restart: always
    environment: { MARIADB_ROOT_PASSWORD: example }
    volumes: ["db:/var/lib/mysql"]
volumes: { ghost: , db: }
`,
  },
  immich: {
    serviceName: 'immich-server',
    port: 2283,
    env: 'UPLOAD_LOCATION=./library\nDB_DATA_LOCATION=./postgres\nDB_PASSWORD=postgres\nDB_USERNAME=postgres',
    file: `
name: immich
services:
  immich-server:
    container_name: immich_server
    ${run}
    volumes: ["\${UPLOAD_LOCATION}:/data", "/etc/localtime:/etc/localtime:ro"]
    env_file: [.env]
    environment: { ASK: "immich_postgres:5432 immich_redis:6379", LISTEN: 2283 }
    ports: ['2283:2283']
    depends_on: [redis, database]
    restart: always
    healthcheck: { disable: false }
  redis:
    container_name: immich_redis
    image: berth/redis:7
    healthcheck: { test: redis-cli ping || exit 1 }
    restart: always
  database:
    container_name: immich_postgres
    ${postgres}
    environment:
      POSTGRES_PASSWORD: "\${DB_PASSWORD}"
      POSTGRES_USER: "\${DB_USERNAME}"
      POSTGRES_DB: immich
    volumes: ["\${DB_DATA_LOCATION}:/var/lib/postgresql/data"]
    restart: always
    healthcheck: { disable: false }
`,
  },
  paperless: {
    serviceName: 'webserver',
    port: 8000,
    env: 'PAPERLESS_URL=https://paper.example.com',
    file: `
services:
  broker: { image: "berth/redis:7", restart: unless-stopped, volumes: ["redisdata:/data"] }
  db:
    ${postgres}
    restart: unless-stopped
    volumes: ["pgdata:/var/lib/postgresql/data"]
    environment: { POSTGRES_DB: paperless, POSTGRES_USER: paperless, POSTGRES_PASSWORD: paperless }
  webserver:
    ${run}
    restart: unless-stopped
    depends_on: [db, broker]
    ports: ["8000:8000"]
    volumes: ["data:/data", "media:/media", "./export:/export", "./consume:/consume"]
    env_file: .env
    environment: { ASK: "db:5432 broker:6379", LISTEN: 8000, S6: "1" }
volumes: { data: , media: , pgdata: , redisdata: }
`,
  },
  vaultwarden: {
    serviceName: 'vaultwarden',
    port: 80,
    file: `
services:
  vaultwarden:
    ${run}
    container_name: vaultwarden
    restart: unless-stopped
    environment: { DOMAIN: "https://vault.example.com", LISTEN: 80 }
    volumes: ["./vw-data/:/data/"]
    ports: ["127.0.0.1:8000:80"]
`,
  },
  // Its own file asks for 65,535 and 262,144 open files; a machine may allow fewer to everybody on it.
  plausible: {
    serviceName: 'plausible',
    port: 8000,
    env: 'BASE_URL=https://stats.example.com\nSECRET_KEY_BASE=a-secret-of-64-bytes',
    file: `
services:
  plausible_db:
    ${postgres}
    restart: always
    volumes: ["db-data:/var/lib/postgresql/data"]
    environment: [POSTGRES_PASSWORD=postgres]
    healthcheck: { test: ["CMD-SHELL", "pg_isready -U postgres"], start_period: 1m, interval: 5s }
  plausible_events_db:
    ${run}
    restart: always
    volumes:
      - event-data:/var/lib/clickhouse
      - event-logs:/var/log/clickhouse-server
      - ./clickhouse/logs.xml:/etc/clickhouse-server/config.d/logs.xml:ro
    ulimits: { nofile: { soft: 16384, hard: 16384 } }
    environment: [CLICKHOUSE_SKIP_USER_SETUP=1, LISTEN=8123]
    healthcheck:
      test: ["CMD-SHELL", "node -e \\"fetch('http://127.0.0.1:8123/ping').catch(() => process.exit(1))\\""]
      start_period: 1m
      interval: 5s
  plausible:
    ${run}
    restart: always
    depends_on:
      plausible_db: { condition: service_healthy }
      plausible_events_db: { condition: service_healthy }
    volumes: ["plausible-data:/var/lib/plausible"]
    ports: ["127.0.0.1:8000:8000"]
    ulimits: { nofile: { soft: 16384, hard: 16384 } }
    environment:
      - TMPDIR=/var/lib/plausible/tmp
      - BASE_URL=\${BASE_URL}
      - SECRET_KEY_BASE=\${SECRET_KEY_BASE}
      - LISTEN=8000
      - ASK=plausible_db:5432 plausible_events_db:8123
      - HTTP_PORT
      - TOTP_VAULT_KEY
volumes: { db-data: , event-data: , event-logs: , plausible-data: }
`,
    files: { 'clickhouse/logs.xml': '<clickhouse><logger><level>warning</level></logger></clickhouse>' },
  },
};
