/**
 * Deploys previews by the stages of an application, with the preview's name, settings,
 * domain and volumes.
 */
import { previewRef } from '../domain/names/service-ref.ts';
import type { Applications } from '../modules/application/application.ts';
import {
  inheritedSentences,
  previewApplication,
  type PreviewDeployments,
} from '../modules/preview-deployment/preview-deployment.ts';
import { prepareSource, type SourcePorts } from './application-deployer.ts';
import type { AttemptContext, Deployer, DeployRecords } from './context.ts';
import type { DeploymentRecord, TableRecord } from '../db/tables.ts';
import type { DomainRecord, MountRecord } from './release/release-inputs.ts';

export interface PreviewParts {
  applications: Pick<Applications, 'find'>;
  previews: Pick<PreviewDeployments, 'find' | 'patch'>;
  domains(previewDeploymentId: string): Promise<DomainRecord[]>;
  /** Successful deployments of the preview, newest first. */
  succeeded(previewDeploymentId: string): Promise<DeploymentRecord[]>;
  /** Refs under which the git host offers the commits of a pull request. */
  pullRefs(provider: string, number: number): string | undefined;
}

/** One image is enough, because a preview is never rolled back. */
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
        // The port of a preview's domain is the setting previewPort.
        followPort: async () => undefined,
        nameReleased: (_applicationId, releasedAppName) =>
          previews.patch(previewDeploymentId, { releasedAppName }),
      };
      if (!preview.isTrusted)
        context.log.line(
          'Who wrote this source may be somebody who may not write to the repository, so this preview gets ' +
            'no variables, build arguments, secrets or files of previews, project or environment.',
        );
      else for (const sentence of inheritedSentences(application)) context.log.line(sentence);
      const settings = async () => ({ ...(await ports.settings()), keptImages });
      const refs =
        preview.pullRequestNumber === null
          ? undefined
          : pullRefs(preview.provider, preview.pullRequestNumber);
      const save: AttemptContext['save'] = async (patch) => {
        await context.save(patch);
        if (patch.commit != null) await previews.patch(previewDeploymentId, { commit: patch.commit });
      };
      return prepareSource(
        { ...ports, records, settings },
        { ...context, save },
        {
          application: previewApplication(application, preview),
          owner: previewRef(previewDeploymentId),
          pullRefs: refs,
        },
      );
    },
  };
}

/** The records that a preview sees of its application. */
export function previewRecords(
  records: Pick<DeployRecords, 'envBlocks' | 'mounts'>,
  { previewDeploymentId, isTrusted }: TableRecord<'preview_deployment'>,
): Pick<DeployRecords, 'envBlocks' | 'mounts' | 'ports'> {
  return {
    envBlocks: (consumer, own, known) =>
      records.envBlocks({ ...consumer, preview: { previewDeploymentId, isTrusted } }, own, known),
    // Only one service can publish a port of the server, and that is the application.
    ports: async () => [],
    mounts: async (applicationId) =>
      mountsOf(await records.mounts(applicationId), previewDeploymentId, isTrusted),
  };
}

/**
 * The preview has volumes of its own, empty at first, and the application's files, but none of its binds.
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
