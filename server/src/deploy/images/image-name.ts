/**
 * Names of the images that Berth builds: one repository per application or preview, with the deployment as
 * the tag, so that a rollback finds its image.
 */
import { createHash } from 'node:crypto';
import { builtRepository } from '../../domain/names/image-reference.ts';

export const builtImage = (serviceId: string, deploymentId: string): string =>
  `${builtRepository(serviceId)}:${deploymentId}`;

/** Image of a service of a compose file, whose name may have characters that no image name may have. */
export function builtServiceImage(composeId: string, service: string, deploymentId: string): string {
  const plain =
    service
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'service';
  const part =
    plain === service
      ? plain
      : `${plain.slice(0, 60)}-${createHash('sha256').update(service).digest('hex').slice(0, 8)}`;
  return `${builtRepository(composeId)}/${part}:${deploymentId}`;
}
