import { describe, expect, it } from 'vitest';
import { readComposeFile, type Yaml } from './compose-file.ts';

const services = async (text: string): Promise<Yaml> => (await readComposeFile(text)).services;

describe('a compose file', () => {
  it('is read with anchors and merge keys written out', async () => {
    const text = [
      'x-base: &base', '  restart: always', '  image: base', 'x-more: &more', '  image: more', '  user: one',
      'services:', '  web:', '    <<: *base', '    image: nginx', '  worker:', '    <<: [*base, *more]', '  other: *more', '  none:', '  quoted:', '    "<<": *more',
    ].join('\n');
    expect(await services(text)).toEqual({
      web: { restart: 'always', image: 'nginx' }, worker: { restart: 'always', image: 'base', user: 'one' }, other: { image: 'more', user: 'one' }, none: null, quoted: { image: 'more', user: 'one' },
    });
    expect(await services('a: &x 1\nb: &x 2\nservices:\n  web: {c: *x}')).toEqual({ web: { c: 2 } });
    const odd = await services('services:\n  __proto__:\n    image: x\n');
    expect(Object.entries(Object(odd))).toEqual([['__proto__', { image: 'x' }]]);
    expect(Object.getPrototypeOf(odd)).toBe(Object.prototype);
  });

  it('may be empty', async () => {
    for (const text of ['', '\n', '# nothing yet\n', 'services:\n', 'version: "3"\n', '{}', '---\n', 'null']) expect(await services(text), text).toEqual({});
  });

  it('is a map of services in valid YAML', async () => {
    for (const text of ['services', '[]', '- a', '3', 'services: []', 'services: web', 'services: {web: nginx}', 'services: {web: []}']) await expect(readComposeFile(text), text).rejects.toMatchObject({ code: 'BAD_REQUEST', issues: [{ path: 'composeFile' }] });
    await expect(readComposeFile('services:\n  web:\n  - a\n  b: {')).rejects.toThrow('composeFile: is no valid YAML, line 4');
    await expect(readComposeFile('services: {}\n---\nservices: {}')).rejects.toThrow('is no valid YAML');
  });

  it('holds nothing that two parsers read differently', async () => {
    const inside = (line: string): string => `services:\n  web:\n    ${line}\n`;
    for (const mark of ['\u0085', '\u2028', '\u2029', '\uFEFF', '\v', '\f', '\u0001']) await expect(readComposeFile(inside(`image: x # ${mark}privileged: true`)), JSON.stringify(mark)).rejects.toThrow('must not hold control characters');
    for (const tag of ['!!binary L2V0Yw==', '!reset true', '!override {}', '!!merge x', '!mine x', '!!set {a}', '!!omap [a: 1]', '!<tag:yaml.org,2002:binary> eA==']) await expect(readComposeFile(inside(`a: ${tag}`)), tag).rejects.toThrow('composeFile: ');
    for (const text of ['%TAG ! tag:yaml.org,2002:\n---\nservices: {web: {a: !binary eA==}}', inside('!!binary eA==: 1')]) await expect(readComposeFile(text), text).rejects.toThrow('composeFile: uses the tag');
    for (const text of [inside('a: 1\n    a: 2'), 'services: {}\nservices: {}', inside('"a": 1\n    a: 2'), inside('? [a]\n    : 1')]) await expect(readComposeFile(text), text).rejects.toThrow('composeFile: has ');
    expect(await services(`%YAML 1.1\n---\nx: &x {b: yes}\n${inside('<<: *x')}`)).toEqual({ web: { b: 'yes' } });
    expect(await services(inside('a: !!str 3'))).toEqual({ web: { a: '3' } });
  });

  it('costs little whatever it holds', async () => {
    const laughs = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]', ...Array.from({ length: 30 }, (_, index) => `a${index + 1}: &a${index + 1} [${Array.from({ length: 10 }, () => `*a${index}`).join(', ')}]`)].join('\n');
    const merges = `x: &x {${Array.from({ length: 500 }, (_, index) => `k${index}: 1`).join(', ')}}\ny:\n${Array.from({ length: 500 }, (_, index) => `  m${index}: {<<: *x}`).join('\n')}`;
    const files: [string, string][] = [
      [laughs, 'when its aliases are written out'], [merges, 'when its aliases are written out'], ['a: &a [*a]', 'without an anchor before it'], ['a: *b', 'alias'], ['x'.repeat(256 * 1024 + 1), 'at most 262144 characters'],
      ['['.repeat(40_000), 'composeFile: '], [`a: ${'['.repeat(70)}${']'.repeat(70)}`, 'levels deep'], ['- '.repeat(100_000), 'parts'], ['"'.repeat(200_000), 'composeFile: '], ['{a: '.repeat(10_000), 'composeFile: '],
      [`{${'a,'.repeat(100_000)}}`, 'parts'], ['? '.repeat(100_000), 'composeFile: '], ['}\n'.repeat(20_000), 'composeFile: '],
    ];
    for (const [text, message] of files) await expect(readComposeFile(text), text.slice(0, 20)).rejects.toThrow(message);
    const large = `services:\n${Array.from({ length: 1000 }, (_, index) => `  s${index}:\n    image: nginx:1.29\n    restart: always\n`).join('')}`;
    expect(Object.keys((await readComposeFile(large)).services)).toHaveLength(1000);
  });
});
