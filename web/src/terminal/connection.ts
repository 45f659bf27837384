/** One terminal over a WebSocket (docs/guide/terminal.md): bytes both ways, words as JSON. */

export interface TerminalEnd {
  reason: string;
  message: string;
  exitCode?: number;
}

export interface Connection {
  send(text: string): void;
  resize(columns: number, rows: number): void;
  /** So many bytes are drawn; the server sends further ones. */
  drawn(bytes: number): void;
  close(): void;
}

interface Told {
  onOpen: (command: string) => void;
  onOutput: (bytes: Uint8Array) => void;
  onEnd: (end: TerminalEnd) => void;
}

const window = 262_144;
const mostOfAFrame = 512 * 1024;

export function openTerminal(input: Record<string, string | number>, told: Told): Connection {
  const query = new URLSearchParams(
    Object.entries({ ...input, window }).map(([name, value]) => [name, String(value)]),
  );
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/api/exec?${query}`);
  socket.binaryType = 'arraybuffer';
  let isOver = false;
  const end = (how: TerminalEnd): void => {
    if (isOver) return;
    isOver = true;
    told.onEnd(how);
  };
  socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
    // The first byte tells which output it is; in a terminal all of it is one.
    if (typeof data !== 'string') return told.onOutput(new Uint8Array(data, 1));
    const word = JSON.parse(data) as { type: string; command?: string[] } & TerminalEnd;
    if (word.type === 'opened') told.onOpen(word.command?.join(' ') ?? '');
    else if (word.type === 'end') end(word);
  });
  socket.addEventListener('close', () => end({ reason: 'away', message: 'The connection to Berth ended.' }));
  const say = (word: object): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(word));
  };
  return {
    send(text) {
      if (socket.readyState !== WebSocket.OPEN) return;
      const bytes = new TextEncoder().encode(text);
      for (let at = 0; at < bytes.length; at += mostOfAFrame)
        socket.send(bytes.subarray(at, at + mostOfAFrame));
    },
    resize: (columns, rows) => say({ type: 'resize', columns, rows }),
    drawn: (bytes) => say({ type: 'ack', bytes }),
    close() {
      isOver = true;
      socket.close();
    },
  };
}
