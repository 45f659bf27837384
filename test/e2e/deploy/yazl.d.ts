/** What the tests use of yazl, which has no types of its own. */
declare module 'yazl' {
  export class ZipFile {
    readonly outputStream: import('node:stream').Readable;
    addBuffer(content: Buffer, path: string): void;
    end(): void;
  }
}
