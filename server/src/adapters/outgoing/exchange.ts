/** One message and its answer by TCP, each with its length in two bytes before it (RFC 1035, 4.2.2). */
import type { JudgedHost, OutgoingExchange } from '../../ports/outgoing.ts';
import { connectTo, failureOf } from './connect.ts';

export async function exchangeMessage(
  message: Uint8Array,
  { port, limitMs }: OutgoingExchange,
  judged: JudgedHost,
): Promise<Buffer> {
  const socket = await connectTo(judged, port);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length, 0);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const late = setTimeout(() => reject(judged.fault('silent')), limitMs);
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    if (received.length < 2) return;
    const end = 2 + received.readUInt16BE(0);
    if (received.length >= end) resolve(received.subarray(2, end));
  });
  socket.once('error', (error) => reject(judged.fault(failureOf(error))));
  socket.once('close', () => reject(judged.fault('other')));
  socket.write(Buffer.concat([length, message]));
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    socket.destroy();
  }
}
