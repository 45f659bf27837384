/**
 * A tar archive as `berth deploy` sends it: cut into chunks where its content says, so that what did not
 * change since the last upload of the same service is named and not sent. Numbers are big-endian.
 *
 *     magic, one byte: length of the base's name, the base's name (none: everything is sent)
 *     1, first chunk (4), number of chunks (4)      chunks of the base
 *     2, length (4), bytes                          a new chunk, raw deflate (RFC 1951)
 *     0, SHA-256 (32)                               the end, and what the whole archive must be
 */
export const chunkedMagic = 'BERTHCH1';

export const record = { end: 0, ofBase: 1, fresh: 2 } as const;

/** Bytes of a chunk before it is packed. Only the last one may be smaller than the least. */
export const chunkBytes = { least: 2 * 1024, most: 16 * 1024 } as const;

/** Bytes of what names a chunk: the beginning of its SHA-256. */
export const chunkNameBytes = 16;

/** Chunks of which a base has at most; a larger upload is sent whole each time. */
export const mostBaseChunks = 65_536;
