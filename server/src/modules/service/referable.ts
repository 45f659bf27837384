/** What variables of a service may refer to, for the guard. */
import { secretBlock } from '../../domain/variables/secret-env.ts';
import type { ReferencePorts } from '../../procedure/input/references.ts';
import type { Services } from './service.ts';
import type { ServiceRows } from './store.ts';

/** Reads the services of one environment, and every text of the one that is changed. */
export function createReferable(services: Services, rows: ServiceRows): ReferencePorts['referable'] {
  return async ({ organizationId, environmentId, serviceId }) => {
    if (environmentId === undefined || serviceId === undefined) return { services: [], texts: [] };
    const [near, application, database, compose] = await Promise.all([
      services.ofEnvironment(organizationId, environmentId),
      rows.application.find({ applicationId: serviceId, organizationId }),
      rows.database.find({ databaseId: serviceId, organizationId }),
      rows.compose.find({ composeId: serviceId, organizationId }),
    ]);
    const texts = [
      ...(application ? textsOf(application) : []),
      database?.env,
      ...(compose ? [compose.env, secretBlock(compose.secretEnv), compose.composeFile] : []),
    ];
    return { services: near, texts: texts.filter((text) => typeof text === 'string') };
  };
}

type Application = NonNullable<Awaited<ReturnType<ServiceRows['application']['find']>>>;

const textsOf = (one: Application): (string | null)[] => [
  one.env,
  one.buildArgs,
  one.buildSecrets,
  one.previewEnv,
  one.previewBuildArgs,
  one.previewBuildSecrets,
  secretBlock(one.secretEnv),
  secretBlock(one.previewSecretEnv),
];
