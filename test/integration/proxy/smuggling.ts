/** Requests that try to reach `closed.test` at the proxy by how they are written. */
/** Ends a request, and asks for the end of the connection. */
export const end = '\r\nConnection: close\r\n\r\n';
const smuggled = `GET / HTTP/1.1\r\nHost: closed.test\r\nX-Smuggled: 1${end}`;
/** What the closed service would answer with stands in no answer to any of these. */
export const corpus: readonly [string, string][] = [
  ['an absolute target of another host', `GET http://closed.test/ HTTP/1.1\r\nHost: open.test${end}`],
  ['an absolute target with https', `GET https://closed.test/ HTTP/1.1\r\nHost: open.test${end}`],
  ['an absolute target with a user', `GET http://open.test@closed.test/ HTTP/1.1\r\nHost: open.test${end}`],
  ['an absolute target of the closed path', `GET http://open.test/admin HTTP/1.1\r\nHost: other.test${end}`],
  ['a target without a slash', `GET closed.test/ HTTP/1.1\r\nHost: open.test${end}`],
  ['a target of two slashes', `GET //closed.test/ HTTP/1.1\r\nHost: open.test${end}`],
  ['an authority as target', `CONNECT closed.test:80 HTTP/1.1\r\nHost: open.test${end}`],
  ['an asterisk as target', `OPTIONS * HTTP/1.1\r\nHost: closed.test${end}`],
  ['two hosts, closed last', `GET / HTTP/1.1\r\nHost: open.test\r\nHost: closed.test${end}`],
  ['two hosts, closed first', `GET / HTTP/1.1\r\nHost: closed.test\r\nHost: open.test${end}`],
  ['two hosts in one', `GET / HTTP/1.1\r\nHost: open.test, closed.test${end}`],
  ['a host with a space before the colon', `GET / HTTP/1.1\r\nHost : closed.test${end}`],
  ['a host on a folded line', `GET / HTTP/1.1\r\nHost: open.test\r\n closed.test${end}`],
  ['a host after a bare line feed', `GET / HTTP/1.1\nHost: closed.test\nConnection: close\n\n`],
  ['a host with a user', `GET / HTTP/1.1\r\nHost: open.test@closed.test${end}`],
  ['a host with a path', `GET / HTTP/1.1\r\nHost: closed.test/x${end}`],
  ['a host with a NUL', `GET / HTTP/1.1\r\nHost: closed.test\0.open.test${end}`],
  ['a host with a last dot', `GET / HTTP/1.1\r\nHost: closed.test.${end}`],
  ['no host', `GET / HTTP/1.1${end}`],
  ['an empty host', `GET / HTTP/1.1\r\nHost:${end}`],
  ['HTTP/1.0', `GET / HTTP/1.0\r\nHost: closed.test\r\n\r\n`],
  ['HTTP/0.9', `GET /\r\n`],
  ['a lower-case method', `get / HTTP/1.1\r\nHost: closed.test${end}`],
  [
    'CL.TE',
    `POST / HTTP/1.1\r\nHost: open.test\r\nContent-Length: ${smuggled.length + 5}\r\nTransfer-Encoding: ` +
      `chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  ],
  [
    'TE.CL',
    `POST / HTTP/1.1\r\nHost: open.test\r\nTransfer-Encoding: chunked\r\nContent-Length: ` +
      `4\r\n\r\n${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`,
  ],
  [
    'TE.TE with a space',
    `POST / HTTP/1.1\r\nHost: open.test\r\nTransfer-Encoding : chunked\r\nContent-Length: ` +
      `${smuggled.length + 5}\r\n\r\n0\r\n\r\n${smuggled}`,
  ],
  [
    'TE with a vertical tab',
    `POST / HTTP/1.1\r\nHost: open.test\r\nTransfer-Encoding: \x0bchunked\r\nContent-Length: ` +
      `${smuggled.length + 5}\r\n\r\n0\r\n\r\n${smuggled}`,
  ],
  [
    'TE of another name',
    `POST / HTTP/1.1\r\nHost: open.test\r\nTransfer-Encoding: xchunked\r\nContent-Length: ` +
      `${smuggled.length}\r\n\r\n${smuggled}`,
  ],
  [
    'TE twice',
    `POST / HTTP/1.1\r\nHost: open.test\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: ` +
      `identity\r\n\r\n0\r\n\r\n${smuggled}`,
  ],
  [
    'TE in a list',
    `POST / HTTP/1.1\r\nHost: open.test\r\nTransfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  ],
  [
    'two lengths',
    `POST / HTTP/1.1\r\nHost: open.test\r\nContent-Length: 0\r\nContent-Length: ` +
      `${smuggled.length}\r\n\r\n${smuggled}`,
  ],
  [
    'two lengths in one',
    `POST / HTTP/1.1\r\nHost: open.test\r\nContent-Length: 0, ${smuggled.length}\r\n\r\n${smuggled}`,
  ],
  [
    'a length with a sign',
    `POST / HTTP/1.1\r\nHost: open.test\r\nContent-Length: +${smuggled.length}\r\n\r\n${smuggled}`,
  ],
  ['a negative length', `POST / HTTP/1.1\r\nHost: open.test\r\nContent-Length: -1\r\n\r\n${smuggled}`],
  ['a hexadecimal length', `POST / HTTP/1.1\r\nHost: open.test\r\nContent-Length: 0x10\r\n\r\n${smuggled}`],
  [
    'a length on a folded line',
    `POST / HTTP/1.1\r\nHost: open.test\r\nContent-Length:\r\n ${smuggled.length}\r\n\r\n${smuggled}`,
  ],
  [
    'a body of a GET',
    `GET / HTTP/1.1\r\nHost: open.test\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
  ],
  [
    'a chunk size with a sign',
    `POST / HTTP/1.1\r\nHost: open.test\r\nTransfer-Encoding: chunked\r\n\r\n+0\r\n\r\n${smuggled}`,
  ],
  [
    'a chunk size too big',
    `POST / HTTP/1.1\r\nHost: open.test\r\nTransfer-Encoding: ` +
      `chunked\r\n\r\nFFFFFFFFFFFFFFFF0\r\n${smuggled}`,
  ],
  [
    'a chunk extension with a line feed',
    `POST / HTTP/1.1\r\nHost: open.test\r\nTransfer-Encoding: ` +
      `chunked\r\n\r\n5;a=\n12345\r\n0\r\n\r\n${smuggled}`,
  ],
  [
    'a trailer that names a host',
    `POST / HTTP/1.1\r\nHost: open.test\r\nTransfer-Encoding: chunked\r\nTrailer: ` +
      `Host\r\n\r\n0\r\nHost: closed.test${end}`,
  ],
  ['a header without a name', `GET / HTTP/1.1\r\nHost: open.test\r\n: closed.test${end}`],
  ['a header with a line break', `GET / HTTP/1.1\r\nHost: open.test\r\nX: a\r\rHost: closed.test${end}`],
  [
    'an upgrade to HTTP/2',
    `GET / HTTP/1.1\r\nHost: open.test\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: ` +
      `h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
  ],
  ['HTTP/2 at once', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'],
  [
    'a refused upgrade with a request behind it',
    `GET / HTTP/1.1\r\nHost: open.test\r\nConnection: Upgrade\r\nUpgrade: nothing\r\nContent-Length: ` +
      `0\r\n\r\n${smuggled}`,
  ],
  [
    'an expectation with a request behind it',
    `POST / HTTP/1.1\r\nHost: open.test\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n${smuggled}`,
  ],
];
