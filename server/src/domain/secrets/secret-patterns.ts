/**
 * Shapes that are secret wherever they appear. Every pattern is bounded, so that a huge line costs time in
 * proportion to its length.
 */

import { anyOf } from '../routing/pattern.ts';

export const dots = '••••';

/** The text with credentials in URLs, Authorization headers, tokens and private keys replaced by dots. */
export function hidePatterns(text: string): string {
  let result = text;
  if (result.includes('://')) result = result.replace(urlUserInfo, hideUserInfo);
  if (header.test(result)) result = result.replace(headerValue, `$1${dots}`);
  if (result.includes('_') || result.includes('glpat-')) result = result.replace(token, `$1${dots}`);
  return result.includes(keyMark) ? hidePrivateKeys(result) : result;
}

/** Whether a line opens (true), closes (false) or does not touch (undefined) a private key block. */
export function privateKeyEdge(line: string): boolean | undefined {
  if (!line.includes(keyMark)) return undefined;
  const begin = line.lastIndexOf('-----BEGIN ');
  const end = line.lastIndexOf('-----END ');
  return begin === end ? undefined : begin > end;
}

const urlUserInfo = /(https?)?:\/\/([^\s/?#]{1,2048})@/gi;

function hideUserInfo(_: string, web: string | undefined, userInfo: string): string {
  const colon = userInfo.indexOf(':');
  if (colon !== -1) return `${web ?? ''}://${userInfo.slice(0, colon)}:${dots}@`;
  // Over https a user without a password is a token; over ssh it is just "git".
  return `${web ?? ''}://${web === undefined ? userInfo : dots}@`;
}

const header = /authorization|bearer|api-key/i;
/** Between the name of a header and its value, also in JSON and in code. */
const assigned = /["']?\s{0,8}[:=]\s{0,8}["']?/.source;
const beforeValue = anyOf([
  new RegExp(`(?:proxy-)?authorization${assigned}(?:[a-z][a-z0-9-]{0,30}\\s{1,8})?`),
  new RegExp(`x-api-key${assigned}`),
  /bearer\s{1,8}(?=\S{8})/,
]).source;
const headerValue = new RegExp(`\\b(${beforeValue})[^\\s"',;]{1,8192}`, 'gi');

/** Our own keys (`<prefix>_<43 or more letters and digits>`), GitHub's and GitLab's. */
const tokenRest = anyOf([
  /(?<=[A-Za-z0-9-]_)[A-Za-z0-9]{43,}/,
  /(?<=gh[pousr]_)[A-Za-z0-9]{36,}/,
  /(?<=github_pat_)\w{22,}/,
  /(?<=glpat-)[\w-]{20,}/,
]).source;
const token = new RegExp(`(_|gh[pousr]_|github_pat_|glpat-)(?:${tokenRest})`, 'g');

const keyMark = 'PRIVATE KEY-----';
const keyBegin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/g;
const keyEnd = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/g;

function hidePrivateKeys(text: string): string {
  let result = '';
  let at = 0;
  for (;;) {
    keyBegin.lastIndex = at;
    const begin = keyBegin.exec(text);
    if (begin === null) return result + text.slice(at);
    result += `${text.slice(at, begin.index)}${begin[0]}${dots}`;
    keyEnd.lastIndex = keyBegin.lastIndex;
    const end = keyEnd.exec(text);
    if (end === null) return result;
    result += end[0];
    at = keyEnd.lastIndex;
  }
}
