/** A connection to one of the judged addresses, and to nothing else. */
import { connect, type Socket } from 'node:net';
import type { ConnectFailure, JudgedHost } from '../../ports/outgoing.ts';

const connectLimitMs = 15_000;

/** The first address that takes the connection, in their order; throws `judged.fault`. */
export async function connectTo(judged: JudgedHost, port: number): Promise<Socket> {
  let failure: ConnectFailure = 'other';
  for (const address of judged.addresses) {
    const made = await attempt(address, port);
    if (typeof made !== 'string') return made;
    failure = made;
  }
  throw judged.fault(failure);
}

/** Port of an address, its scheme's where it names none. */
export const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port);

function attempt(host: string, port: number): Promise<Socket | ConnectFailure> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, noDelay: true });
    const fail = (failure: ConnectFailure) => (): void => {
      socket.destroy();
      resolve(failure);
    };
    socket.setTimeout(connectLimitMs, fail('silent'));
    socket.once('error', (error) => fail(failureOf(error))());
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.removeAllListeners('error').removeAllListeners('timeout');
      resolve(socket);
    });
  });
}

/** Why a connection was not made, by the code of the error (errno(3)). */
export function failureOf(error: unknown): ConnectFailure {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ECONNREFUSED') return 'refused';
  return code === 'ETIMEDOUT' ? 'silent' : 'other';
}
