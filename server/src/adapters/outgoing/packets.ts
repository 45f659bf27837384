/** Bytes that are sent and not answered, to the address that was judged. */
import { createSocket } from 'node:dgram';
import { isIPv6, type Socket } from 'node:net';
import type { JudgedHost, OutgoingPackets } from '../../ports/outgoing.ts';
import { connectTo, failureOf } from './connect.ts';

export async function sendPackets(
  packets: readonly Uint8Array[],
  { port, transport, limitMs }: OutgoingPackets,
  judged: JudgedHost,
): Promise<void> {
  if (transport === 'udp') await sendDatagrams(packets, port, judged);
  else await sendStream(packets, await connectTo(judged, port), { limitMs, judged });
}

/** Its end is answered by the other side's machine once that has everything: all that syslog tells. */
function sendStream(
  packets: readonly Uint8Array[],
  socket: Socket,
  { limitMs, judged }: { limitMs: number; judged: JudgedHost },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      reject(judged.fault('silent'));
      socket.destroy();
    }, limitMs);
    socket.once('close', (hasFailed) => {
      clearTimeout(late);
      if (!hasFailed) resolve();
    });
    socket.once('error', (error) => reject(judged.fault(failureOf(error))));
    // Whatever it answers is of no use, and must not fill the connection.
    socket.resume();
    for (const packet of packets) socket.write(packet);
    socket.end(() => socket.destroySoon());
  });
}

async function sendDatagrams(
  packets: readonly Uint8Array[],
  port: number,
  judged: JudgedHost,
): Promise<void> {
  const [address] = judged.addresses;
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  const failed = new Promise<never>((_resolve, reject) => {
    socket.once('error', (error) => reject(judged.fault(failureOf(error))));
  });
  const sent = async (): Promise<void> => {
    for (const packet of packets)
      await new Promise<void>((resolve, reject) => {
        socket.send(packet, port, address, (error) =>
          error ? reject(judged.fault(failureOf(error))) : resolve(),
        );
      });
  };
  try {
    await Promise.race([sent(), failed]);
  } finally {
    socket.close();
  }
}
