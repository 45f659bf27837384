import { describe, expect, it } from 'vitest';
import { appNamePattern } from './names.ts';
import {
  defaultWildcard,
  parsePreviewWildcard,
  previewAppName,
  previewHost,
  previewNamePattern,
} from './preview.ts';

describe('names of previews', () => {
  it('stay within what the engine takes', () => {
    expect(previewAppName('shop', '12')).toBe('preview-shop-12');
    expect(previewAppName('shop', '12', 'a1b2')).toBe('preview-shop-12-a1b2');
    for (const name of ['a'.repeat(63), `${'a'.repeat(40)}${'_-'.repeat(11)}a`, 'A_b']) {
      expect(previewAppName(name, '123456', 'a1b2')).toMatch(appNamePattern);
      expect(previewAppName(name, '1')).toMatch(appNamePattern);
    }
  });
});

describe('hosts of previews', () => {
  it.each([
    ['*.preview.example.com', 'shop', '12', 'preview-shop-12.preview.example.com'],
    ['*-pr.example.com', 'shop', '12', 'preview-shop-12-pr.example.com'],
    ['*.example.com', 'My_Shop', '1', 'preview-my-shop-1.example.com'],
    ['*.example.com', 'a'.repeat(63), '1234', `preview-${'a'.repeat(50)}-1234.example.com`],
  ])('%s for %s, %s', (wildcard, appName, tag, host) => {
    expect(previewHost(wildcard, appName, tag)).toBe(host);
  });
  it('have room for the longest name beside the longest wildcard', () => {
    const name = 'n'.repeat(25);
    expect(name).toMatch(previewNamePattern);
    const host = previewHost(`${'w'.repeat(24)}*.example.com`, 'shop', name);
    expect(host).toBe(`${'w'.repeat(24)}preview-shop-${name}.example.com`);
    for (const refused of ['12', '1-a', 'a-', 'A', 'a_b', '', 'n'.repeat(26)])
      expect(refused).not.toMatch(previewNamePattern);
  });
  it('lead to the server where no wildcard is set', () => {
    expect(previewHost(defaultWildcard('203.0.113.7', null), 'shop', '3')).toBe(
      'preview-shop-3.203-0-113-7.sslip.io',
    );
  });
  it('are below the base domain where there is one', () => {
    expect(previewHost(defaultWildcard('203.0.113.7', 'apps.example.com'), 'shop', '3')).toBe(
      'preview-shop-3.apps.example.com',
    );
  });
  it.each([
    'example.com',
    '*.*.example.com',
    '**.example.com',
    'a.*.example.com',
    '',
    '*.exa mple.com',
    '*.example.com/x',
    `${'a'.repeat(30)}*.example.com`,
  ])('%s is no wildcard of previews', (text) => {
    expect(() => parsePreviewWildcard(text)).toThrow('previewWildcard');
  });
});
