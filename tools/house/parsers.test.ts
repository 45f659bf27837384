import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { repositoryRoot } from '../../images/build-context.ts';
import { parseRelease } from '../../server/src/domain/builder-programs.ts';
import { parseRootCertificates } from '../../server/src/domain/certificates/root-certificates.ts';
import { parseOwnHost } from '../../server/src/domain/access/own-host.ts';
import { AppError } from '../../server/src/domain/errors.ts';
import { parseGitHost, parseRepositoryPart } from '../../server/src/domain/git/git-host.ts';
import {
  parseCommit,
  parseGitUrl,
  parseRefName,
  parseSourcePath,
} from '../../server/src/domain/git/git-source.ts';
import { readLfsPointer } from '../../server/src/domain/git/lfs-pointer.ts';
import { parseImageReference } from '../../server/src/domain/names/image-reference.ts';
import {
  parseAppName,
  parseHost,
  parseMachineAddress,
  parseStageName,
} from '../../server/src/domain/names/names.ts';
import { parseObjectPath } from '../../server/src/domain/names/object-path.ts';
import { parseBaseDomain } from '../../server/src/domain/routing/base-domain.ts';
import { parsePreviewWildcard } from '../../server/src/domain/names/preview.ts';
import { parseMountPath, parseServerPath } from '../../server/src/domain/names/server-path.ts';
import { parseSharedImage } from '../../server/src/domain/names/shared-images.ts';
import { routesIn } from '../../server/src/domain/network/routes.ts';
import { parseOutgoingHost } from '../../server/src/domain/network/outgoing.ts';
import { parseCpus, parseMemory } from '../../server/src/domain/resources/resources.ts';
import { parseReplacement } from '../../server/src/domain/routing/redirect.ts';
import { planOwnBuild } from '../../server/src/domain/builds/builds.ts';
import type { BuildWish } from '../../server/src/domain/builds/own-build.ts';
import { evened, viewLimits } from '../../server/src/domain/builds/source-files.ts';
import { parseProcfile } from '../../server/src/domain/builds/start-command.ts';
import { parseRegex } from '../../server/src/domain/routing/regex.ts';
import { parseAskedPath } from '../../server/src/domain/routing/asked-path.ts';
import { parseAddressRanges } from '../../server/src/domain/network/address-range.ts';
import { parseErrorPages } from '../../server/src/domain/routing/error-pages.ts';
import {
  parseRequestHeaders,
  parseResponseHeaders,
} from '../../server/src/domain/routing/request-headers.ts';
import { parseRoutePath } from '../../server/src/domain/routing/route-path.ts';
import { parseTrustedProxies } from '../../server/src/domain/routing/trusted-proxies.ts';
import { parsePassword, parseUsername } from '../../server/src/domain/secrets/basic-auth.ts';
import { hidePatterns } from '../../server/src/domain/secrets/secret-patterns.ts';
import { parseJson } from '../../server/src/domain/text/loose-values.ts';
import { splitWords } from '../../server/src/domain/text/words.ts';
import { parseCron, parseTimeZone } from '../../server/src/domain/time/cron.ts';
import { parseEnv, parseEnvLines } from '../../server/src/domain/variables/dotenv.ts';
import { readEnvFile, readRawEnvFile } from '../../server/src/domain/variables/env-expansion.ts';
import { createReferences, resolveBlock, resolveEnv } from '../../server/src/domain/variables/env.ts';
import { readBerthFile } from '../../server/src/modules/berth-file/record.ts';
import { parseLook, parsePosition, parseStart } from '../../server/src/modules/backup/recovery/wal.ts';
import { parseComposeFile } from '../../server/src/modules/compose/compose-file.ts';
import { requireReading } from '../../server/src/modules/database/browse/handlers.ts';
import { rowsOfXml } from '../../server/src/modules/database/browse/mysql.ts';
import { wordsOfAnswer } from '../../server/src/modules/database/browse/redis.ts';
import { execKeptBytes } from '../../server/src/ports/engine/engine-program.ts';
import { interpolate } from '../../server/src/modules/compose/translation/whole/interpolation.ts';
import { translate } from '../../server/src/modules/compose/translation/translate.ts';
import { readPullRequestEvent } from '../../server/src/modules/preview-deployment/store.ts';
import { parseImagePrefix, parseRegistryAddress } from '../../server/src/modules/registry/address.ts';
import { parseToml } from '../../server/src/modules/template/formats/toml.ts';
import { readSecurity } from '../../server/src/modules/server/setup/inspection.ts';
import { payloadOf } from '../../server/src/modules/webhook/delivery.ts';
import { providers } from '../../server/src/modules/webhook/providers/providers.ts';
import { patternCount, patternLimit, touches } from '../../server/src/domain/git/watch-paths.ts';
import { cpuMs } from '../../test/cpu-time.ts';
import { lines, onTexts, texts } from './slow-texts.ts';
import { templateCases } from './template-cases.ts';

/**
 * All of Berth waits while one of these functions runs, so none may take longer on the largest input that
 * its contract accepts, whatever is in it. The limits are twice what slow machines were seen to need: what
 * they are to find takes seconds.
 */
const limitMs = 750;
/** Where a library or the language itself does the work, on inputs that a right or a token has to bring. */
const otherLimitsMs: Record<string, number> = {
  // The YAML library takes up to 5 µs for a character.
  parseComposeFile: 2000,
  translate: 2000,
  // 70,000 variables, each with one of the others in it.
  readEnvFile: 1000,
  // Up to four blocks of the largest size, 2 MB in all.
  resolveBlock: 1000,
  createReferences: 1000,
  // 120,000 references between variables, held against each other.
  templateOf: 1000,
  // JSON.parse and 400,000 names, of a body that only a known address of a webhook may send.
  payloadOf: 1000,
  'providers.read': 1000,
};

const blockLimit = 500_000;
const composeLimit = 65_536;
/** Bytes of a file in a catalogue of templates. */
const catalogueFile = 500_000;

const noBlocks = { project: '', environment: '', service: '' };
const largeBlock = lines(22_000, (at) => `VARIABLE_${at}=value`).slice(0, blockLimit);
const fullBlocks = { project: largeBlock, environment: largeBlock, service: largeBlock, secret: largeBlock };

const wholeLook = 'look|0|1:1:|1|16777216|00000001|0/3000028|streaming';
const segmentName = '000000010000000000000003';

const hookBody = 5 * 1024 * 1024;
const push = (paths: readonly string[]): Buffer =>
  Buffer.from(JSON.stringify({ ref: 'refs/heads/main', after: 'a'.repeat(40), commits: [{ added: paths }] }));
const manyPaths = Array.from({ length: 400_000 }, (_, at) => `a/${at}`);
const patterns = [
  Array<string>(patternCount).fill(`*${'a'.repeat(patternLimit - 2)}b`),
  Array<string>(patternCount).fill('**/'.repeat(patternLimit / 3 - 1) + 'x'),
  Array<string>(patternCount).fill('*a'.repeat(patternLimit / 2 - 1) + 'b'),
  Array<string>(patternCount).fill('!**/a'),
];
const changed = [
  ['a'.repeat(hookBody)],
  Array<string>(1000).fill('a'.repeat(4096)),
  Array<string>(1000).fill('a/'.repeat(2000)),
  manyPaths,
];

/** Worst inputs of each function, by its name. */
const cases: Record<string, () => (() => unknown)[]> = {
  parseRootCertificates: onTexts(100_000, (text) => parseRootCertificates(text)),
  routesIn: onTexts(400_000, (text) => routesIn(text)),
  splitWords: onTexts(100_000, (text) => splitWords(text, 'command')),
  parseReplacement: onTexts(2000, (text) => parseReplacement(text)),
  parseRegex: onTexts(500, (text) => parseRegex(text)),
  parseRequestHeaders: onTexts(1000, (text) =>
    parseRequestHeaders(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`X-${at}`, text]))),
  ),
  parseResponseHeaders: onTexts(1000, (text) =>
    parseResponseHeaders(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`X-${at}`, text]))),
  ),
  parseAddressRanges: onTexts(100, (text) =>
    parseAddressRanges(
      Array.from({ length: 500 }, () => text),
      'allowedAddresses',
    ),
  ),
  parseTrustedProxies: onTexts(100, (text) => parseTrustedProxies(Array.from({ length: 500 }, () => text))),
  parseErrorPages: onTexts(32_768, (text) =>
    parseErrorPages(Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`50${at}`, text]))),
  ),
  parseRoutePath: onTexts(2000, (text) => parseRoutePath(`/${text}`, 'path')),
  parseAskedPath: onTexts(1000, (text) => parseAskedPath(`/${text}`)),
  parseOutgoingHost: onTexts(2000, parseOutgoingHost),
  parseOwnHost: onTexts(2000, (text) => parseOwnHost(text)),
  parseBaseDomain: onTexts(2000, (text) => parseBaseDomain(text)),
  parseGitHost: onTexts(300, (text) => parseGitHost(text)),
  parseRepositoryPart: onTexts(300, (text) => parseRepositoryPart(text, 'owner')),
  parseGitUrl: onTexts(2000, (text) => parseGitUrl(text)),
  parseRefName: onTexts(250, (text) => parseRefName(text)),
  readLfsPointer: onTexts(1024, readLfsPointer),
  parseCommit: onTexts(1000, (text) => parseCommit(text)),
  parseSourcePath: onTexts(1000, (text) => parseSourcePath(text, 'buildPath')),
  parseStageName: onTexts(1000, (text) => parseStageName(text, 'stage')),
  parseAppName: onTexts(1000, (text) => parseAppName(text)),
  parseHost: onTexts(1000, (text) => parseHost(text)),
  parseMachineAddress: onTexts(1000, (text) => parseMachineAddress(text, 'ipAddress')),
  parseObjectPath: onTexts(1000, (text) => parseObjectPath(text, 'prefix')),
  parseSharedImage: onTexts(1000, (text) => parseSharedImage(text)),
  parseImageReference: onTexts(1000, (text) => parseImageReference(text)),
  parseServerPath: onTexts(4096, (text) => parseServerPath(text, 'path')),
  parseMountPath: onTexts(4096, (text) => parseMountPath(text, 'mountPath')),
  parseToml: onTexts(catalogueFile, parseToml),
  parseJson: onTexts(catalogueFile, parseJson),
  parsePreviewWildcard: onTexts(1000, (text) => parsePreviewWildcard(text)),
  parseUsername: onTexts(1000, (text) => parseUsername(text)),
  parsePassword: onTexts(1000, (text) => parsePassword(text)),
  hidePatterns: onTexts(64 * 1024, hidePatterns),
  parseMemory: onTexts(30, (text) => parseMemory(text, 'memoryLimit')),
  parseCpus: onTexts(30, (text) => parseCpus(text, 'cpuLimit')),
  parseCron: onTexts(1000, (text) => parseCron(text, 'schedule')),
  parseTimeZone: onTexts(1000, (text) => parseTimeZone(text, 'timezone')),
  parseRelease: onTexts(2000, (text) => parseRelease(text)),
  parseRegistryAddress: onTexts(500, (text) => parseRegistryAddress(text)),
  parseImagePrefix: onTexts(500, (text) => parseImagePrefix(text)),
  parseEnv: onTexts(blockLimit, (text) => parseEnv(text)),
  parseEnvLines: onTexts(blockLimit, (text) => parseEnvLines(text)),
  readEnvFile: onTexts(blockLimit, (text) => readEnvFile(text, 'env_file', () => undefined)),
  readRawEnvFile: onTexts(blockLimit, (text) => readRawEnvFile(text, 'env_file')),
  resolveEnv: () => [
    ...texts(blockLimit).map((text) => () => resolveEnv({ ...noBlocks, service: text })),
    () => resolveEnv({ ...noBlocks, service: lines(20_000, (at) => `A${at}=\${{A${at + 1}}}`) }),
    () => resolveEnv({ ...noBlocks, service: `A=b\n${lines(20_000, (at) => `B${at}=\${{A}}`)}` }),
  ],
  resolveBlock: () => [() => resolveBlock('buildArgs', 'A=${{VARIABLE_1}}', fullBlocks)],
  createReferences: () => [
    () => {
      const valueOf = createReferences('composeFile', fullBlocks);
      for (let at = 0; at < 5000; at += 1) valueOf(`VARIABLE_${at}`);
    },
  ],
  parseComposeFile: () => [
    ...onTexts(composeLimit, (text) => parseComposeFile(text))(),
    () => parseComposeFile(`services: ${'['.repeat(composeLimit - 10)}`),
    () => parseComposeFile(`services: {${'a: {}, '.repeat(9000)}}`),
    () =>
      parseComposeFile(`services:\n${lines(4000, (at) => `  a${at}: {image: b}`)}`.slice(0, composeLimit)),
  ],
  interpolate: () =>
    texts(composeLimit).map(
      (text) => () =>
        interpolate(new Map([['a', text]]), '', { values: {}, reference: () => '', field: 'composeFile' }),
    ),
  translate: () => {
    const plan = (text: string): unknown =>
      translate({ text, field: 'composeFile', folder: undefined, variables: {}, blocks: fullBlocks });
    const service = (key: string): string => `services:\n  a:\n    image: shop:1\n    ${key}:\n`;
    return [
      () => plan(`${service('environment')}${lines(1800, (at) => `      A${at}: \${{VARIABLE_${at}}}`)}`),
      () => plan(`${service('environment')}${lines(3000, (at) => `      A${at}: \${B:-c}`)}`),
      () => plan(`${service('ports')}${lines(3500, (at) => `      - "${20_000 + at}:80"`)}`),
      () => plan(`${service('ports')}      - "1-65535:1-65535"`),
      () =>
        plan(
          `services:\n${lines(100, (at) => `  a${at}: {image: 'shop:1', depends_on: [${otherNames(at)}]}`)}`,
        ),
    ];
  },
  planOwnBuild: () =>
    manifests.flatMap((paths) =>
      texts(viewLimits.textBytes).map((text) => () => planOwnBuild(wishOf(paths, text))),
    ),
  parseProcfile: onTexts(viewLimits.textBytes, (text) => parseProcfile(evened('Procfile', text))),
  readPullRequestEvent: onTexts(64 * 1024, readPullRequestEvent),
  readBerthFile: () => [() => readBerthFile({ project: 'a', services: manyServices() })],
  readSecurity: onTexts(64 * 1024, readSecurity),
  touches: () => patterns.flatMap((given) => changed.map((paths) => () => touches(given, paths))),
  'providers.read': () =>
    Object.entries(providers).map(
      ([, provider]) =>
        () =>
          provider.read('push', {
            ref: 'refs/heads/main',
            after: 'a'.repeat(40),
            commits: [{ added: manyPaths }],
          }),
    ),
  requireReading: onTexts(20_000, (text) => requireReading(`select ${text.slice(8)}x`)),
  rowsOfXml: () =>
    [
      '<row>',
      '<row></row>',
      '<row><field name="a">',
      '<field name="',
      '<field name="a"></field></row>',
    ].flatMap((unit) =>
      texts(execKeptBytes).map(
        (text) => () => rowsOfXml(unit.repeat(execKeptBytes / unit.length).slice(0, -9) + text.slice(0, 9)),
      ),
    ),
  wordsOfAnswer: onTexts(execKeptBytes, (text) => wordsOfAnswer(text)),
  parsePosition: onTexts(execKeptBytes, parsePosition),
  parseStart: onTexts(execKeptBytes, parseStart),
  parseLook: () => [
    ...onTexts(execKeptBytes, (text) => parseLook(`${wholeLook}\n${text}`))(),
    () => parseLook(`${wholeLook}\n${lines(100_000, () => segmentName)}`.slice(0, execKeptBytes)),
  ],
  ...templateCases,
  payloadOf: () =>
    changed
      .map((paths) => push(paths).subarray(0, hookBody))
      .map((body) => () => payloadOf({ headers: {}, body, ip: '' })),
};

/** Files by which each language is known, with others that are read then. */
const manifests = [
  ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml', 'vite.config.ts', '.nvmrc', 'Procfile'],
  ['composer.json', 'composer.lock', '.php-version', 'Procfile'],
  ['Gemfile', 'Gemfile.lock', '.ruby-version', 'Procfile'],
  ['requirements.txt', 'pyproject.toml', 'main.py', 'manage.py', '.python-version', 'Procfile'],
  ['go.mod', 'main.go', 'Procfile'],
  ['Cargo.toml', 'rust-toolchain.toml', '.tool-versions'],
  ['pom.xml', 'build.gradle', 'system.properties'],
  ['app.csproj', 'global.json'],
];

function wishOf(paths: readonly string[], text: string): BuildWish {
  const scripts = { start: text, build: text };
  const manifest = JSON.stringify({
    engines: { node: text },
    scripts,
    workspaces: [text],
    require: { php: text },
  });
  const textOf = (path: string): string =>
    ['package.json', 'composer.json'].includes(path) ? manifest : evened(path, text);
  return {
    files: { paths: new Set(paths), texts: new Map(paths.map((path) => [path, textOf(path)])) },
    folder: '',
    publishDirectory: undefined,
    isSinglePage: false,
    variables: [],
    secrets: [],
    staticImage: 'caddy:2',
  };
}

const otherNames = (but: number): string =>
  Array.from({ length: 50 }, (_, at) => `a${but > 50 ? at : 50 + at}`).join(', ');
const manyServices = (): Record<string, object> =>
  Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`a${at}`, { type: 'application', no: 'field' }]),
  );

/** Functions whose name sounds like a parser's, and why they need no row. */
const exceptions: Record<string, string> = {
  readCertificate: 'is measured in its own test, on real certificates',
  readsSecrets: 'looks up permissions',
  parsePort: 'takes a number',
  parseNextStart: 'reads what bin/up wrote for the next start',
  parsePublishedPort: 'takes a number',
  readService: 'is a part of translate',
  parseInput: 'runs a schema of a contract, whose rules are the functions here',
};

test('every parser and matcher of rules and modules has a row', () => {
  const sources = globSync('server/src/{domain,modules,procedure/input}/**/*.ts', {
    cwd: repositoryRoot,
    exclude: (path) => path.includes('.test.'),
  });
  const found = sources.flatMap((path) =>
    [
      ...readFileSync(join(repositoryRoot, path), 'utf8').matchAll(
        /^export function ((?:parse|read|match|touch|split|interpolate|hide|translate|resolve)\w*)\(/gmu,
      ),
    ].map(([, name = '']) => name),
  );
  expect(found.length).toBeGreaterThan(40);
  expect(found.filter((name) => !(name in cases) && !(name in exceptions))).toEqual([]);
  expect(Object.keys(exceptions).filter((name) => !found.includes(name))).toEqual([]);
});

describe('at the largest input of its contract', () => {
  it.each(Object.keys(cases))('%s holds nobody up', (name) => {
    const limit = otherLimitsMs[name] ?? limitMs;
    for (const [at, work] of (cases[name]?.() ?? []).entries()) {
      let tookMs = Infinity;
      // Later runs are without what the machine does once: compiling, growing the heap.
      for (let run = 0; run < 6 && tookMs >= limit; run += 1)
        tookMs = Math.min(
          tookMs,
          cpuMs(() => answered(work)),
        );
      expect(tookMs, `case ${at} of ${name}: ms`).toBeLessThan(limit);
    }
  });
});

/** A refusal is an answer, too. */
function answered(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof AppError || error instanceof SyntaxError)) throw error;
  }
}
