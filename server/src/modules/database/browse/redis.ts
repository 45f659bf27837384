import type { DatabaseRecord } from '../../../db/tables.ts';
import { quoted } from '../kinds/redis.ts';
import { ownAddress, type Script } from '../kinds/server.ts';
import { boundedScript, cellLength } from './browser.ts';

/** Keys that one answer looks at, at most, where few of them match. */
const rounds = 50;
const keysPerRound = 200;

/** Scripts within the server: each is one question, and changes nothing. Returns the cursor, then triples. */
const keysScript = `
local cursor, found = ARGV[1], {}
for _ = 1, ${rounds} do
  local answer = redis.call('SCAN', cursor, 'MATCH', ARGV[2], 'COUNT', ${keysPerRound})
  cursor = answer[1]
  for _, key in ipairs(answer[2]) do
    found[#found + 1] = key
    found[#found + 1] = redis.call('TYPE', key).ok
    found[#found + 1] = tostring(redis.call('PTTL', key))
  end
  if cursor == '0' or #found >= tonumber(ARGV[3]) * 3 then break end
end
table.insert(found, 1, cursor)
return found`;

/** Returns the type, the time to live in ms, the length, then pairs of field and value. */
const valueScript = `
local key, most, cut = KEYS[1], 100, ${cellLength}
local kind = redis.call('TYPE', key).ok
local out = {kind, tostring(redis.call('PTTL', key)), '0'}
local function add(field, value)
  out[#out + 1] = tostring(field)
  out[#out + 1] = string.sub(tostring(value), 1, cut)
end
if kind == 'string' then
  out[3] = tostring(redis.call('STRLEN', key))
  out[4] = ''
  out[5] = redis.call('GETRANGE', key, 0, cut * 10 - 1)
elseif kind == 'list' then
  out[3] = tostring(redis.call('LLEN', key))
  for at, value in ipairs(redis.call('LRANGE', key, 0, most - 1)) do add(at - 1, value) end
elseif kind == 'hash' then
  out[3] = tostring(redis.call('HLEN', key))
  local pairs_ = redis.call('HSCAN', key, 0, 'COUNT', most)[2]
  for at = 1, math.min(#pairs_, most * 2), 2 do add(pairs_[at], pairs_[at + 1]) end
elseif kind == 'set' then
  out[3] = tostring(redis.call('SCARD', key))
  local members = redis.call('SSCAN', key, 0, 'COUNT', most)[2]
  for at = 1, math.min(#members, most) do add('', members[at]) end
elseif kind == 'zset' then
  out[3] = tostring(redis.call('ZCARD', key))
  local members = redis.call('ZRANGE', key, 0, most - 1, 'WITHSCORES')
  for at = 1, #members, 2 do add(members[at + 1], members[at]) end
elseif kind == 'stream' then
  out[3] = tostring(redis.call('XLEN', key))
  for _, entry in ipairs(redis.call('XRANGE', key, '-', '+', 'COUNT', most)) do
    add(entry[1], table.concat(entry[2], ' '))
  end
end
return out`;

/** Returns of each command its time in s, what it took in µs, and its words. */
const slowScript = `
local out = {}
for _, entry in ipairs(redis.call('SLOWLOG', 'GET', tonumber(ARGV[1]))) do
  out[#out + 1] = tostring(entry[2])
  out[#out + 1] = tostring(entry[3])
  out[#out + 1] = string.sub(table.concat(entry[4], ' '), 1, ${cellLength})
end
return out`;

function reading({ databasePassword }: DatabaseRecord, script: string, ...args: string[]): Script {
  const words = [script, ...args].map(quoted);
  return {
    script: boundedScript(`redis-cli -h ${ownAddress} --csv`),
    env: { REDISCLI_AUTH: databasePassword, ASK: `EVAL ${words.join(' ')}` },
  };
}

export const redisBrowser = {
  keys: (
    record: DatabaseRecord,
    { match, cursor, limit }: { match: string; cursor: string; limit: number },
  ) => reading(record, keysScript, '0', cursor, match, String(limit)),
  slow: (record: DatabaseRecord, limit: number) => reading(record, slowScript, '0', String(limit)),
  value: (record: DatabaseRecord, key: string) => reading(record, valueScript, '1', key),
};

/**
 * The words of one answer as redis-cli prints it with `--csv`: texts in quotes with backslashes (Redis,
 * sdscatrepr), which are bytes and read as UTF-8. An end that is not whole is left out.
 */
export function wordsOfAnswer(output: string): string[] {
  const words: string[] = [];
  for (const [, text, bare] of output.trimEnd().matchAll(/(?:^|,)(?:"((?:[^"\\]|\\.)*)"|([^",]+))(?=,|$)/gy))
    words.push(text === undefined ? (bare ?? '') : unescaped(text));
  return words;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', a: '\u0007', b: '\b' };

function unescaped(text: string): string {
  const parts = text.split(/(\\x[0-9a-f]{2}|\\.)/i).map((part) => {
    if (/^\\x[0-9a-f]{2}$/i.test(part)) return Buffer.from(part.slice(2), 'hex');
    return Buffer.from(/^\\.$/.test(part) ? (escapes[part[1] ?? ''] ?? part.slice(1)) : part);
  });
  return Buffer.concat(parts).toString('utf8');
}
