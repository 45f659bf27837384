/**
 * The walls between services and the machine, and between organizations on it, as they are built into the
 * program. A test that composes the program itself may leave one out, to see that its attack succeeds then;
 * the product has no such choice.
 */
import { createBuildEngines, type BuildEnginesOptions } from '../../adapters/build-engine/build-engines.ts';
import type { BuildEngines } from '../../ports/engine/build-engine.ts';
import type { JudgeFile } from '../../deploy/compose/compose-context.ts';
import { ownCookies } from '../../domain/access/own-cookies.ts';
import { createHostRules, type CreateHostRules } from '../../modules/own-host/own-host.ts';
import { findProxy, type FindProxy } from '../../deploy/spec/networks.ts';
import { isPlatformImage } from '../../domain/names/image-reference.ts';
import { createPullRequests } from '../../modules/preview-deployment/pull-request/pull-request.ts';
import { createServiceNames, type CreateServiceNames } from '../../modules/service-name/service-name.ts';
import { createPortGuard, type CreatePortGuard } from '../../reconcile/packet-filter/port-guard.ts';
import { releasedName, type LeadsTo } from '../../reconcile/routes.ts';
import { engineOfOrganization } from '../../deploy/images/own-services.ts';
import { createFileJudge, type JudgeFileParts } from '../../deploy/compose/judge-file.ts';
import { createWorkFiles } from '../../adapters/files/work-files.ts';
import { createApplications } from '../../modules/application/application.ts';
import { createDestinations } from '../../modules/destination/destination.ts';
import { createRegistries } from '../../modules/registry/registry.ts';
import { createSettings } from '../../modules/settings/settings.ts';
import { createSignInThrottle } from '../../modules/user/sign-in/sign-in-throttle.ts';
import { createGuard } from '../../procedure/guard.ts';
import { cookieJar } from '../../transport/entrance/cookies.ts';
import { createAdapters } from '../adapters.ts';
import { createImageAccess, type ImageAccess, type ImageAccessParts } from '../../modules/image/image.ts';
import { createJudge, type Judge, type JudgeParts } from '../../deploy/images/judged-engine.ts';

export interface Walls {
  /** Judges what the engine is asked for. */
  judge(parts: JudgeParts): Judge;
  /** Judges what a compose file asks for. */
  judgeFile(parts: JudgeFileParts): JudgeFile;
  /** Keeps what a server shows to the services of its organization. */
  ownServices: typeof engineOfOrganization;
  /** Judges which images an organization may run. */
  images(parts: ImageAccessParts): ImageAccess;
  /** Whether set-up alone makes an image of this name, so that none is pulled. */
  isOwnImage(reference: string): boolean;
  /** Keeps hosts that are Berth's, or everybody's, from services. */
  hosts: CreateHostRules;
  /** Names of cookies that the proxy keeps from services. */
  keptCookies: readonly string[];
  /** Reads and sets Berth's own cookies. */
  cookies: typeof cookieJar;
  /** What comes of what a webhook tells of a pull request. */
  pullRequests: typeof createPullRequests;
  /** Names of services, one holder each. */
  names: CreateServiceNames;
  /** What domains lead to. */
  leadsTo: LeadsTo;
  /** What is attached to every network as the proxy. */
  findProxy: FindProxy;
  /** Keeps containers from ports of the machine. */
  portGuard: CreatePortGuard;
  /** Gives each organization a builder of its own. */
  buildEngines(options: BuildEnginesOptions): BuildEngines;
  /** Reads and writes files of a checkout. */
  files: typeof createWorkFiles;
  /** What Berth reaches itself: git, addresses that users name, logs, uploads. */
  adapters: typeof createAdapters;
  /** Who may call what. */
  guard: typeof createGuard;
  /** Slows guessing. */
  throttle: typeof createSignInThrottle;
  /** Keep passwords to the host that they were given for. */
  registries: typeof createRegistries;
  applications: typeof createApplications;
  /** Keeps backups of organizations apart. */
  destinations: typeof createDestinations;
  /** How much anybody may take. */
  settings: typeof createSettings;
}

export const walls: Walls = {
  judge: createJudge,
  judgeFile: createFileJudge,
  ownServices: engineOfOrganization,
  images: createImageAccess,
  isOwnImage: isPlatformImage,
  hosts: createHostRules,
  keptCookies: ownCookies,
  cookies: cookieJar,
  pullRequests: createPullRequests,
  names: createServiceNames,
  leadsTo: releasedName,
  findProxy,
  portGuard: createPortGuard,
  buildEngines: createBuildEngines,
  files: createWorkFiles,
  adapters: createAdapters,
  guard: createGuard,
  throttle: createSignInThrottle,
  registries: createRegistries,
  applications: createApplications,
  destinations: createDestinations,
  settings: createSettings,
};
