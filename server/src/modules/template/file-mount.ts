import type { Mounts } from '../mount/mount.ts';
import { pathInContainer } from './format.ts';
import type { Template } from './record.ts';
import { references } from './references.ts';

/** A file of a template as a mount; one that contains a secret is never shown again. */
export const fileMountOf = (
  { path, mountPath, secret, content: text }: Template['files'][number],
  content: string,
  secrets: ReadonlySet<string>,
): Parameters<Mounts['create']>[2] => ({
  type: 'file',
  filePath: path,
  mountPath: mountPath ?? pathInContainer(path),
  content,
  hostPath: null,
  volumeName: null,
  isSecret: secret || references(text).some((name) => secrets.has(name)),
});
