/**
 * How previews of pull requests are deployed: the application's own stages with the preview's name, settings,
 * host and volumes.
 */
import { previewRef } from '../domain/names/service-ref.ts';
import type { Applications } from '../modules/application/application.ts';
import {
  inheritedNames,
  previewApplication,
  type PreviewDeployments,
} from '../modules/preview-deployment/preview-deployment.ts';
import { prepareSource, type SourcePorts } from './application-deployer.ts';
import type { Deployer, DeployRecords } from './context.ts';
import type { ApplicationRecord, DeploymentRecord, TableRecord } from '../db/tables.ts';
import type { LogWriter } from '../ports/deployment-log.ts';
import type { DomainRecord, MountRecord } from './release/release-inputs.ts';

export interface PreviewParts {
  applications: Pick<Applications, 'find'>;
  previews: Pick<PreviewDeployments, 'find' | 'patch'>;
  domains(previewDeploymentId: string): Promise<DomainRecord[]>;
  /** Done deployments of the preview, newest first. */
  succeeded(previewDeploymentId: string): Promise<DeploymentRecord[]>;
  /** Refs where the provider keeps the commits of a pull request. */
  pullRefs(provider: string, number: number): string | undefined;
}

/** Images of a preview: it never goes back. */
const keptImages = 1;

export function previewDeployer(
  ports: SourcePorts,
  { applications, previews, domains, succeeded, pullRefs }: PreviewParts,
): Deployer {
  return {
    async prepare(context) {
      const preview = await previews.find(context.deployment.previewDeploymentId ?? '');
      const application = preview && (await applications.find(preview.applicationId));
      if (!application) return undefined;
      const { previewDeploymentId } = preview;
      const records: DeployRecords = {
        ...ports.records,
        ...previewRecords(ports.records, preview),
        domains: () => domains(previewDeploymentId),
        succeeded: () => succeeded(previewDeploymentId),
        // A preview's domain has the port of the setting previewPort.
        followPort: async () => undefined,
        nameReleased: (_applicationId, releasedAppName) =>
          previews.patch(previewDeploymentId, { releasedAppName }),
      };
      if (!preview.isTrusted)
        context.log.line(
          'The author may not write to the repository, so this preview gets no variables, build ' +
            'arguments, secrets or files of previews, project or environment.',
        );
      else tellInherited(application, context.log);
      const settings = async () => ({ ...(await ports.settings()), keptImages });
      const refs =
        preview.pullRequestNumber === null
          ? undefined
          : pullRefs(preview.provider, preview.pullRequestNumber);
      return prepareSource({ ...ports, records, settings }, context, {
        application: previewApplication(application, preview),
        owner: previewRef(previewDeploymentId),
        pullRefs: refs,
      });
    },
  };
}

/** Names alone; a variable that somebody else's commit gets is worth a line. */
function tellInherited(application: ApplicationRecord, log: LogWriter): void {
  const { taken, missing } = inheritedNames(application);
  if (taken.length > 0)
    log.line(`This preview gets these variables of the application (previewInherits): ${taken.join(', ')}.`);
  if (missing.length > 0)
    log.line(`previewInherits names variables that the application does not have: ${missing.join(', ')}.`);
}

/** What a preview sees of its application's surroundings. */
export function previewRecords(
  records: Pick<DeployRecords, 'envBlocks' | 'mounts'>,
  { previewDeploymentId, isTrusted }: TableRecord<'preview_deployment'>,
): Pick<DeployRecords, 'envBlocks' | 'mounts' | 'ports'> {
  return {
    // Variables of project and environment are as secret as the application's own.
    envBlocks: async (consumer, own) =>
      isTrusted ? records.envBlocks(consumer, own) : { project: '', environment: '' },
    // A port of the server is the application's, and can be only one's.
    ports: async () => [],
    mounts: async (applicationId) =>
      mountsOf(await records.mounts(applicationId), previewDeploymentId, isTrusted),
  };
}

/**
 * Volumes of its own, empty at first; files as they are; folders of the server are the application's alone.
 */
function mountsOf(
  mounts: readonly MountRecord[],
  previewDeploymentId: string,
  isTrusted: boolean,
): MountRecord[] {
  return mounts
    .filter(({ type }) => type === 'volume' || (type === 'file' && isTrusted))
    .map((mount) => (mount.type === 'volume' ? { ...mount, applicationId: previewDeploymentId } : mount));
}
