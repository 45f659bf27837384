/** Debian's name servers and its ACME authority as processes on loopback. */
import { execFile, spawn } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { makeCertificate } from '../certificates/authority.ts';
import { onFreePort, saysTaken } from '../free-port.ts';
import { fetched } from '../certificates/fetched.ts';

export interface Running extends AsyncDisposable {
  port: number;
}

/** Starts a program; resolves as soon as it has said `ready`. */
async function started(argv: readonly string[], port: number, ready: RegExp, env = {}): Promise<Running> {
  const child = spawn('setpriv', ['--pdeathsig=KILL', ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let said = '';
  const isReady = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-20_000);
      if (ready.test(said)) isReady.resolve();
    });
  const ended = once(child, 'exit');
  const failed = ended.then(() => Promise.reject(new Error(`${argv[0]} ended: ${said}`)));
  await Promise.race([isReady.promise, failed]);
  failed.catch(() => undefined);
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export const tsig = { keyName: 'berth', secret: Buffer.from('the key of berth').toString('base64') };
/** A key that the server knows, and that may change nothing. */
export const weakTsig = { keyName: 'weak', secret: Buffer.from('the weak key').toString('base64') };

/** bind9 with zones whose TXT records the key may change; each with the records given. */
export async function startBind(folder: string, zones: Readonly<Record<string, string>>): Promise<Running> {
  await mkdir(folder, { recursive: true });
  // Its own root lets it follow aliases between its zones, and answer for all others at once.
  for (const [zone, records] of Object.entries({ ...zones, '.': '' }))
    await writeFile(
      join(folder, `${zone === '.' ? 'root' : zone}.zone`),
      `$TTL 60\n@ SOA ns1.apps.test. ops.apps.test. 1 60 60 600 1\n@ NS ns1.apps.test.\n${records}\n`,
    );
  return onFreePort(
    '127.0.0.1',
    async (port) => {
      await writeFile(join(folder, 'named.conf'), settingsOf(folder, port, Object.keys(zones)));
      return started(['named', '-g', '-c', join(folder, 'named.conf')], port, /\brunning\n/);
    },
    (error) => saysTaken(error) || String(error).includes('address in use'),
  );
}

function settingsOf(folder: string, port: number, zones: readonly string[]): string {
  const keys = [tsig, weakTsig].map(
    ({ keyName, secret }) => `key "${keyName}" { algorithm hmac-sha256; secret "${secret}"; };`,
  );
  return `options {
  directory "${folder}"; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; recursion yes;
  pid-file "${folder}/named.pid"; session-keyfile "${folder}/session.key"; lock-file none;
  dnssec-validation no; managed-keys-directory "${folder}"; allow-query { any; };
};
controls { };
zone "." { type primary; file "${folder}/root.zone"; };
${keys.join('\n')}
${zones
  .map(
    (zone) =>
      `zone "${zone}" { type primary; file "${folder}/${zone}.zone"; ` +
      `update-policy { grant ${tsig.keyName} zonesub A AAAA CNAME TXT; ` +
      `grant ${weakTsig.keyName} name none.${zone}. TXT; }; };`,
  )
  .join('\n')}
`;
}

export interface PowerDns extends Running {
  apiUrl: string;
  apiKey: string;
  texts(name: string): Promise<string[]>;
}

/** PowerDNS with its HTTP interface; zones by name, each with a TXT record by its name. */
export async function startPowerDns(
  folder: string,
  zones: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<PowerDns> {
  const database = join(folder, 'pdns.sqlite3');
  const schema = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql';
  await promisify(execFile)('sqlite3', [database, `.read ${schema}`]);
  const apiKey = 'the-key-of-berth';
  return onFreePort(
    '127.0.0.1',
    (port) => onFreePort('127.0.0.1', (web) => startAt(port, web), saysTaken),
    saysTaken,
  );

  async function startAt(port: number, web: number): Promise<PowerDns> {
    const argv = powerDnsArguments(folder, { port, web, apiKey });
    const running = await started(argv, port, /backend launch\w* finished|Done launching threads/i);
    const apiUrl = `http://127.0.0.1:${web}`;
    const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
      const answer = await fetch(`${apiUrl}/api/v1/servers/localhost/zones${path}`, {
        method,
        headers: { 'x-api-key': apiKey },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`PowerDNS answered ${answer.status}: ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    };
    for (const [zone, records] of Object.entries(zones))
      await ask('POST', '', {
        name: `${zone}.`,
        kind: 'Native',
        nameservers: [`ns1.${zone}.`],
        rrsets: Object.entries(records).map(([name, text]) => ({
          name: `${name}.`,
          type: 'TXT',
          ttl: 300,
          records: [{ content: `"${text}"`, disabled: false }],
        })),
      });
    return {
      ...running,
      apiUrl,
      apiKey,
      async texts(name) {
        const dns = new Resolver();
        dns.setServers([`127.0.0.1:${port}`]);
        return (await dns.resolveTxt(name)).map((parts) => parts.join(''));
      },
    };
  }
}

function powerDnsArguments(
  folder: string,
  { port, web, apiKey }: { port: number; web: number; apiKey: string },
): string[] {
  const settings = {
    'config-dir': folder,
    'socket-dir': folder,
    launch: 'gsqlite3',
    'gsqlite3-database': join(folder, 'pdns.sqlite3'),
    'local-address': '127.0.0.1',
    'local-port': port,
    webserver: 'yes',
    'webserver-address': '127.0.0.1',
    'webserver-port': web,
    api: 'yes',
    'api-key': apiKey,
    daemon: 'no',
    guardian: 'no',
  };
  return ['pdns_server', ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`)];
}

export interface Pebble extends Running {
  directoryUrl: string;
  /** PEM that its https is checked with. */
  rootCertificates: string;
  /** PEM of the root of what it issues. */
  issuingRoot(): Promise<string>;
}

/** pebble, which looks names up at `dns` and refuses one nonce of ten. */
export async function startPebble(
  folder: string,
  dns: string,
  change: Record<string, unknown> = {},
): Promise<Pebble> {
  await mkdir(folder, { recursive: true });
  const root = makeCertificate({ name: 'Directory Root', isAuthority: true });
  const own = makeCertificate({ name: 'directory', hosts: ['127.0.0.1', 'localhost'], issuer: root });
  await writeFile(join(folder, 'own.pem'), own.pem);
  await writeFile(join(folder, 'own.key'), own.key);
  return onFreePort(
    '127.0.0.1',
    (port) => onFreePort('127.0.0.1', (management) => startAt(port, management), saysTaken),
    saysTaken,
  );

  async function startAt(port: number, management: number): Promise<Pebble> {
    const settings = {
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${management}`,
      certificate: join(folder, 'own.pem'),
      privateKey: join(folder, 'own.key'),
      httpPort: 9,
      tlsPort: 9,
      ocspResponderURL: '',
      externalAccountBindingRequired: false,
      ...change,
    };
    await writeFile(join(folder, 'pebble.json'), JSON.stringify({ pebble: settings }));
    const running = await started(
      ['pebble', '-config', join(folder, 'pebble.json'), '-dnsserver', dns],
      port,
      /ACME directory available at/,
      { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '10' },
    );
    return {
      ...running,
      directoryUrl: `https://127.0.0.1:${port}/dir`,
      rootCertificates: root.pem,
      async issuingRoot() {
        for (let tries = 0; tries < 20; tries += 1) {
          const text = await fetched(`https://127.0.0.1:${management}/roots/0`, root.pem).catch(
            () => undefined,
          );
          if (text !== undefined) return text;
          await wait(50);
        }
        throw new Error('pebble did not show its root.');
      },
    };
  }
}
