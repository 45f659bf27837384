import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { buildImages } from '../../images/build.ts';
import { buildPackages, formerNames, imageNames, images } from '../../images/images.ts';
import { builderImage, proxyImage } from '../../server/src/domain/names/platform-images.ts';
import { AppError } from '../../server/src/domain/errors.ts';
import { isPlatformImage, platformPrefix } from '../../server/src/domain/names/image-reference.ts';
import { installPackages } from '../machine/apt.ts';
import { faultOfProxy, leastProxy, proxyVersion } from '../machine/proxy-version.ts';
import type { SetupContext, Step } from '../context.ts';
import { bringImage, keepDigest, type BringRequest } from '../engine/bring-image.ts';
import { recordMade } from '../made.ts';

/** What Berth needs before anything is deployed: its proxy, and the Node base of the example. */
const needed = {
  proxyImage: { setting: 'BERTH_PROXY_IMAGE', official: 'caddy:2', ours: proxyImage },
  nodeImage: { setting: 'BERTH_NODE_IMAGE', official: 'node:24-slim', ours: 'berth/node:24' },
} as const;

type Need = keyof typeof needed;
const needs = ['proxyImage', 'nodeImage'] as const satisfies readonly Need[];

/**
 * A registry that is there says its first word in well under this; without one the wait is lost, so it is
 * said on screen.
 */
const answerLimitMs = 20_000;
const pullLimitMs = 15 * 60_000;

/**
 * Gets the images by pulling, or, where no registry answers, builds equivalents under our own names. The
 * choice is kept.
 */
export const imagesStep: Step = {
  title: 'Images',
  async run(context) {
    const { settings } = context;
    if (usesOurs(context)) return buildOurs(context);
    const pulled: string[] = [];
    for (const need of needs) {
      const { official, setting } = needed[need];
      const reference = settings[need] ?? official;
      const wasThere = await context.engine.hasImage(reference);
      const { fault, isPulled } = await bringImage(reference, bringing(context));
      if (fault !== undefined && settings[need] !== undefined) {
        throw new AppError(
          'PRECONDITION_FAILED',
          `${setting}=${reference} could not be pulled: ${fault}. Name an image that can, or set ` +
            `${setting}= (empty) to let bin/up choose.`,
        );
      }
      if (fault !== undefined) return buildInstead(context, reference, fault);
      if (isPulled) pulled.push(reference);
      if (!wasThere) recordMade(context.layout, { images: [reference] });
      settings[need] = reference;
    }
    const renewed = await requireSafeProxy(context, settings.proxyImage ?? needed.proxyImage.official);
    if (renewed) pulled.push(renewed);
    // Nobody publishes this one.
    const built = await build(context, [builderImage]);
    const done = [
      ...(pulled.length === 0 ? [] : [`pulled ${pulled.join(', ')}`]),
      ...(built.length === 0 ? [] : [`built ${built.join(', ')}`]),
    ];
    return `${needs.map((need) => settings[need]).join(', ')}: ${done.join('; ') || 'all there'}`;
  },
};

function usesOurs({ settings }: SetupContext): boolean {
  return needs.some((need) => settings[need] !== undefined && isOurs(need, settings[need]));
}

/** Ours of any version, or none yet: an upgrade brings the present one. */
const isOurs = (need: Need, reference: string | undefined): boolean =>
  reference === undefined || reference.split(':')[0] === needed[need].ours.split(':')[0];

/** A tag that was pulled long ago is pulled once more; gives it then. Another old proxy is refused. */
async function requireSafeProxy(context: SetupContext, reference: string): Promise<string | undefined> {
  const { settings, engine, signal } = context;
  const look = async (): Promise<string | undefined> => {
    const { dockerCli } = settings;
    const version = await proxyVersion(reference, { dockerCli, socket: engine.socket, signal });
    return version === undefined ? 'it is no Caddy that runs here' : faultOfProxy(version);
  };
  const fault = await look();
  if (fault === undefined) return undefined;
  context.say(`${reference}: ${fault}`);
  const unpulled = await pull(context, reference);
  if (unpulled === undefined) await keepDigest(reference, bringing(context));
  const left = unpulled ?? (await look());
  if (left === undefined) return reference;
  const besides = unpulled === undefined ? '' : `, and ${unpulled}`;
  throw new AppError(
    'PRECONDITION_FAILED',
    `the proxy image ${reference} is not used: ${fault}${besides}. ` +
      `Set BERTH_PROXY_IMAGE to one of Caddy ${leastProxy.caddy} or newer and run the command again.`,
  );
}

/** File that the docker client makes at its first build. */
const clientFile = '.docker/.buildNodeID';

/** Version of the Berth that is set up. */
const versionOf = (product: string): string =>
  z.object({ version: z.string() }).parse(JSON.parse(readFileSync(join(product, 'package.json'), 'utf8')))
    .version;

const bringing = (context: SetupContext): BringRequest => ({
  engine: context.engine,
  layout: context.layout,
  version: versionOf(context.product),
  pull: (reference) => pull(context, reference),
  say: context.say,
});

/** Gives why the image did not come, undefined when it did. */
async function pull(context: SetupContext, reference: string): Promise<string | undefined> {
  if (isPlatformImage(reference))
    return (
      `images named ${platformPrefix}… are never pulled from a registry, where anybody could own the ` +
      'name'
    );
  context.say(`pulls ${reference}; waits at most ${answerLimitMs / 1000} s for a registry's answer`);
  const answer = await context.engine.pull(reference, {
    answerLimitMs,
    limitMs: pullLimitMs,
    signal: context.signal,
  });
  if (answer.kind === 'pulled') return undefined;
  return answer.kind === 'silent'
    ? `no image registry answers (${answer.reason})`
    : `the registry refuses (${answer.reason})`;
}

async function buildInstead(context: SetupContext, reference: string, fault: string): Promise<string> {
  context.say(`${reference}: ${fault}`);
  context.say("builds equivalents from Debian's packages under our own names (about 90 s on two cores)");
  return buildOurs(context);
}

async function buildOurs(context: SetupContext): Promise<string> {
  const { settings } = context;
  const present = await Promise.all(formerNames.map((name) => context.engine.hasImage(name)));
  const built = await build(context, [...imageNames, ...formerNames.filter((_, index) => present[index])]);
  for (const need of needs) if (isOurs(need, settings[need])) settings[need] = needed[need].ours;
  return built.length === 0 ? `${imageNames.join(', ')}: all there` : `built ${built.join(', ')}`;
}

async function build(context: SetupContext, names: readonly string[]): Promise<string[]> {
  const { settings, layout, engine, signal, say } = context;
  const buildNode = join(homedir(), clientFile);
  const knewBuilds = existsSync(buildNode);
  // Part of the recipe: what this machine trusts besides.
  await installPackages(['ca-certificates'], context);
  const workDir = join(layout.data, 'tmp');
  mkdirSync(workDir, { recursive: true, mode: 0o700 });
  const request = {
    dockerHost: `unix://${engine.socket}`,
    dockerCli: settings.dockerCli,
    rows: images,
    names,
    workDir,
    log: say,
    signal,
    prepare: () => installPackages(buildPackages, context),
  };
  const built = await buildImages(request);
  if (!knewBuilds && existsSync(buildNode)) recordMade(layout, { files: [buildNode] });
  return built;
}
