/** What a backup's bytes come as. */
export type Bytes = AsyncIterable<Uint8Array>;
