/**
 * What a mount may be: clean paths, volume names the engine takes, nothing that belongs to the engine or to
 * Berth. Pure.
 */
import { posix } from 'node:path';
import { badField } from '../../domain/errors.ts';
import { parseMountPath, parseServerPath } from '../../domain/names/server-path.ts';

export interface MountDraft {
  type: 'bind' | 'volume' | 'file';
  hostPath: string | null;
  volumeName: string | null;
  filePath: string | null;
  content: string | null;
  mountPath: string;
  /** Of a file: its content is never read back. */
  isSecret?: boolean | undefined;
}

/** The engine takes at most 500 kB as a file of a service. */
const contentLimitBytes = 500_000;
const volumeNamePattern = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,99}$/;

/**
 * The mount with only the fields of its type, or BAD_REQUEST naming the field. Which paths of the server a
 * service may see is decided where they are approved.
 */
export function checkMount(draft: MountDraft): MountDraft & { isSecret: boolean } {
  const mountPath = parseMountPath(draft.mountPath, 'mountPath');
  const bare = {
    type: draft.type,
    mountPath,
    hostPath: null,
    volumeName: null,
    filePath: null,
    content: null,
    isSecret: false,
  };
  return { ...bare, ...sourceRules[draft.type](draft) };
}

type Source = Partial<Omit<MountDraft, 'type' | 'mountPath' | 'isSecret'>> & { isSecret?: boolean };

const sourceRules: Record<MountDraft['type'], (draft: MountDraft) => Source> = {
  bind: (draft) => ({ hostPath: parseServerPath(given(draft.hostPath, 'hostPath'), 'hostPath') }),
  volume(draft) {
    const volumeName = given(draft.volumeName, 'volumeName');
    if (!volumeNamePattern.test(volumeName))
      throw badField(
        'volumeName',
        'must have 1 to 100 letters, digits, ".", "-" or "_", and begin with a letter or digit',
      );
    return { volumeName };
  },
  file(draft) {
    const content = given(draft.content, 'content');
    const bytes = Buffer.byteLength(content);
    if (bytes > contentLimitBytes)
      throw badField(
        'content',
        `has ${bytes} bytes; a file of a service may have at most ${contentLimitBytes}`,
      );
    const filePath = draft.filePath || posix.basename(draft.mountPath);
    const clean = posix.normalize(filePath);
    if (
      clean !== filePath ||
      posix.isAbsolute(clean) ||
      clean === '.' ||
      isAbove(clean) ||
      hasControl(clean) ||
      clean.endsWith('/')
    ) {
      throw badField('filePath', 'must be a relative path without ".." or line breaks');
    }
    return { filePath, content, isSecret: draft.isSecret === true };
  },
};

function given(value: string | null, field: string): string {
  if (!value) throw badField(field, 'is required for this type of mount');
  return value;
}

function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

function isAbove(path: string): boolean {
  return path === '..' || path.startsWith('../');
}
