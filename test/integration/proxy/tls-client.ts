/** A TLS client that says what it was shown. */
import type { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { bedEngine } from '../engine/engine-fixture.ts';
import { httpsPort } from './proxy-fixture.ts';

export interface Greeting {
  /** Whether the given root, and nothing else, proves the chain and the host's name. */
  isProven: boolean;
  error: string | undefined;
  issuer: string;
  /** What the proxy sent, leaf first; base64. */
  chain: string[];
  /** Of the leaf, in ms. */
  endsAt: number;
}

/** What a client sees that asks for the host by name; `root` is PEM, or empty for none. */
export function greeted(
  host: string,
  root: string,
  at: { ip: string; port: number } = { ip: bedEngine().ip, port: httpsPort },
): Promise<Greeting> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      {
        host: at.ip,
        port: at.port,
        servername: host,
        ca: root === '' ? [] : [root],
        rejectUnauthorized: false,
        timeout: 10_000,
      },
      () => {
        const chain: X509Certificate[] = [];
        for (
          let next = socket.getPeerX509Certificate();
          next !== undefined && chain.length < 5;
          next = next.issuerCertificate
        )
          chain.push(next);
        const sent = chain.map(({ raw }) => raw.toString('base64')).filter((each) => each !== bare(root));
        resolve({
          isProven: socket.authorized,
          error: socket.authorized ? undefined : String(socket.authorizationError),
          issuer: chain[0]?.issuer ?? '',
          chain: sent,
          endsAt: chain[0]?.validToDate.getTime() ?? 0,
        });
        socket.destroy();
      },
    );
    socket.on('error', reject).on('timeout', () => socket.destroy(new Error('no greeting within 10 s')));
  });
}

/** The base64 of one PEM block. */
export function bare(pem: string): string {
  return pem.replace(/-----[A-Z ]+-----|\s/g, '');
}
