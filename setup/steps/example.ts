import { proxyServiceName } from '../../server/src/domain/names/names.ts';
import { createClient } from '../../client/client.ts';
import type { Client } from '../../client/client.ts';
import { AppError } from '../../server/src/domain/errors.ts';
import type { SetupContext, Step } from '../context.ts';
import {
  applicationStatus,
  configureApplication,
  exampleHost,
  makeApplication,
} from '../example/application.ts';
import { saveCredentials } from '../example/credentials.ts';
import { deployAndFollow } from '../example/deployment.ts';
import { ensureOwner } from '../example/first-user.ts';
import type { Owner } from '../example/first-user.ts';
import { ensureRepository } from '../example/repository.ts';
import { apiAddress } from '../machine/health.ts';
import { proxyAddress } from '../settings/settings.ts';
import { waitUntil } from '../process/wait-until.ts';
import { askProxy } from './proxy.ts';

/** Words of the example's page (example/page.html) by which its answer is known. */
const pageMark = 'Hello from Berth';
const answerLimitMs = 30_000;
/**
 * One that was deployed before: after a start of the machine its task and the proxy's come back by
 * themselves.
 */
const knownLimitMs = 45_000;

/**
 * The main job, done once by itself: first user, project, application, deployment, an answer through the
 * proxy.
 */
export const exampleStep: Step = {
  title: 'Example application',
  applies: ({ flags }) => flags.example,
  async run(context) {
    const { owner, fresh } = await ensureOwner(context);
    context.say(
      fresh
        ? `signed up ${owner.email}; password and API key are in ${context.layout.credentials}`
        : `${owner.email} is there and its API key works`,
    );
    const client = createClient({ url: apiAddress(context.settings), apiKey: owner.apiKey });
    const status = await applicationStatus(client, owner.applicationId);
    const address = `${proxyAddress(context.settings, exampleHost)}/`;
    if (status === 'done' && (await answers(context, knownLimitMs))) {
      saveCredentials(context.layout, { ...owner, answered: true });
      return `answers at ${address}`;
    }
    const deployed = await deployExample(
      context,
      client,
      status === undefined ? { ...owner, applicationId: undefined } : owner,
    );
    if (await answers(context, answerLimitMs)) {
      saveCredentials(context.layout, { ...deployed, answered: true });
      return `deployed, and answers at ${address}`;
    }
    throw new AppError(
      'PRECONDITION_FAILED',
      `the example was deployed but does not answer through the proxy at ${address}. See "docker ` +
        `service ps ${proxyServiceName}" and "docker service ls".`,
    );
  },
};

async function deployExample(context: SetupContext, client: Client, owner: Owner): Promise<Owner> {
  if (await ensureRepository(context))
    context.say(`made the git repository ${context.layout.exampleRepository} from the bundled example`);
  const applicationId = owner.applicationId ?? (await makeApplication(client));
  // Saved at once: a run that breaks off after this goes on with the same application.
  const withApplication = { ...owner, applicationId };
  saveCredentials(context.layout, withApplication);
  await configureApplication(client, context, applicationId);
  context.say('deploys it; its log:');
  await deployAndFollow(client, context, applicationId);
  return withApplication;
}

async function answers({ settings, signal }: SetupContext, limitMs: number): Promise<boolean> {
  const page = await waitUntil(
    async () => {
      const answer = await askProxy(settings.httpPort, exampleHost, 3000);
      return answer?.status === 200 && answer.body.includes(pageMark) ? answer : undefined;
    },
    { limitMs, everyMs: 250, signal },
  );
  return page !== undefined;
}
