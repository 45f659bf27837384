/** Gathers the records of an application into the service it should be now. */
import { AppError } from '../../domain/errors.ts';
import { portShownBy } from '../../domain/network/shown-port.ts';
import { applicationInputs } from '../inputs/application-inputs.ts';
import type { ReleaseInputs } from '../inputs/inputs.ts';
import type { DeployContext } from '../context.ts';
import type { DomainRecord } from '../release/release-inputs.ts';
import { mayStay, serviceSpecOf, type DescribedSpec } from './service-spec.ts';

export type SpecContext = Pick<
  DeployContext,
  | 'application'
  | 'owner'
  | 'placement'
  | 'deployment'
  | 'env'
  | 'buildArguments'
  | 'buildSecrets'
  | 'engine'
  | 'records'
  | 'networks'
  | 'probePath'
>;

/** The service, with what it is made of. */
export async function composeSpec(context: SpecContext): Promise<DescribedSpec & { inputs: ReleaseInputs }> {
  const { application, deployment, engine, records, networks } = context;
  if (!deployment.image)
    throw new AppError('PRECONDITION_FAILED', 'There is no image to release yet. Deploy first.');
  const { applicationId } = application;
  const [ports, mounts] = await Promise.all([records.ports(applicationId), records.mounts(applicationId)]);
  const [nodeId, image, domains, own, registry] = await Promise.all([
    // An engine takes its time to say what it is.
    mayStay({ mounts, ports }) ? engine.info().then((info) => info.nodeId) : '',
    engine.image(deployment.image),
    records.domains(applicationId),
    networks.ensureEnvironment(application.environmentId),
    records.registryFacts(application),
  ]);
  const described = serviceSpecOf({
    application,
    owner: context.owner,
    placement: context.placement,
    deploymentId: deployment.deploymentId,
    image: deployment.image,
    imageHasHealthCheck: image?.hasHealthCheck ?? false,
    calmerHealthCheck: image?.calmerHealthCheck,
    imageEntrypoint: image?.entrypoint ?? [],
    imageEnv: image?.env ?? {},
    env: context.env,
    networks: [own, ...(await joinedNetworks(context))],
    domains: followed(domains, portShownBy(image?.exposedPorts ?? [])),
    ports,
    mounts,
    nodeId,
    probePath: context.probePath,
  });
  return { ...described, inputs: applicationInputs(application, context, { mounts, ports, registry }) };
}

/** With the port that this release will show, where they follow the service. */
const followed = (domains: readonly DomainRecord[], shown: number): DomainRecord[] =>
  domains.map((domain) => ({ ...domain, port: domain.ownPort ?? shown }));

/**
 * Networks of other environments of the same project that the service joins; made when absent. FORBIDDEN for
 * another project's.
 */
export async function joinedNetworks({
  application,
  placement,
  records,
  networks,
}: Pick<SpecContext, 'application' | 'placement' | 'records' | 'networks'>): Promise<string[]> {
  const names = [];
  for (const environmentId of application.networks) {
    const other = await records.placement(environmentId);
    if (other.projectId !== placement.projectId)
      throw new AppError('FORBIDDEN', 'networks: a service can join only environments of its own project.', {
        issues: [{ path: 'networks', message: 'names an environment of another project' }],
      });
    if (environmentId !== application.environmentId)
      names.push(await networks.ensureEnvironment(environmentId));
  }
  return names;
}
