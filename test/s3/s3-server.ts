/**
 * An S3-compatible server for tests: a process of its own that checks signatures and can be killed, with its
 * objects as files that can be spoilt.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { onFreePort, saysTaken } from '../free-port.ts';

export const s3Bucket = 'backups';
/** The one account that the server has. */
export const s3Keys = { accessKey: 'S3RVER', secretAccessKey: 'S3RVER' } as const;

export interface S3Server {
  readonly endpoint: string;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Starts a killed one again at the same address, with the objects it had. */
  start(): Promise<void>;
  /** The file that holds an object's bytes. */
  fileOf(path: string): string;
  /** Paths of all files that bear an object's bytes, parts of unfinished uploads included. */
  files(): Promise<string[]>;
}

/** Starts one whose objects lie in `folder`, reachable at `address`. */
export async function startS3(address: string, folder: string): Promise<S3Server> {
  await mkdir(folder, { recursive: true });
  return onFreePort(address, (port) => startAt(address, port, folder), saysTaken);
}

async function startAt(address: string, port: number, folder: string): Promise<S3Server> {
  let child: ChildProcess | undefined;
  const server: S3Server = {
    endpoint: `http://${address}:${port}`,
    async start() {
      const program = [join(import.meta.dirname, 'serve.ts'), address, String(port), folder, s3Bucket];
      const started = spawn('setpriv', ['--pdeathsig=KILL', process.execPath, ...program], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      started.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4000)));
      child = started;
      await Promise.race([
        once(started.stdout, 'data'),
        once(started, 'close').then(() => Promise.reject(new Error(`The S3 server did not start: ${said}`))),
      ]);
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    fileOf: (path) => join(folder, s3Bucket, `${path}._S3rver_object`),
    files: async () =>
      (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name)),
  };
  await server.start();
  return server;
}
