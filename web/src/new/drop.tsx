/** Where a folder or an archive is dropped, or picked. */
import { useId, useState, type DragEvent, type ReactElement } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Fault } from '../parts/notices.tsx';
import { packFolder, readDrop, type Picked } from './pack.ts';
import { texts } from './texts.ts';

const isArchive = (name: string): boolean => /\.(zip|tar|tgz|gz)$/i.test(name);

/** A single archive as it is; anything else packed. */
const archiveOf = async (picked: readonly Picked[]): Promise<File> => {
  const [only] = picked;
  return picked.length === 1 && only && isArchive(only.path) ? only.file : packFolder(picked);
};

export function Drop({
  file,
  onFile,
}: {
  file: File | undefined;
  onFile: (file: File, name: string) => void;
}): ReactElement {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const take = (from: Promise<Picked[]>, name: string): void => {
    setError(null);
    from
      .then(archiveOf)
      .then((archive) => onFile(archive, name.replace(/\.(zip|tar|tgz|tar\.gz)$/i, '')), setError);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const name = event.dataTransfer.items[0]?.webkitGetAsEntry()?.name ?? '';
    take(readDrop(event.dataTransfer.items), name);
  };
  const pick = (list: FileList | null): void => {
    const files = [...(list ?? [])];
    const folder = files[0]?.webkitRelativePath.split('/')[0] ?? '';
    const picked = files.map((one) => ({
      path: one.webkitRelativePath.slice(folder === '' ? 0 : folder.length + 1) || one.name,
      file: one,
    }));
    if (picked.length > 0) take(Promise.resolve(picked), folder || (files[0]?.name ?? ''));
  };
  return (
    <div className="grid gap-2">
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className={
          'grid place-items-center gap-2 rounded-lg border border-dashed px-4 py-8 text-center text-13 ' +
          (isOver ? 'border-accent bg-accent-soft' : 'border-edge')
        }
      >
        <span className="text-faint">
          <Icon name="upload" size={18} />
        </span>
        {file ? (
          <p>
            <b>{file.name}</b>, {Math.max(1, Math.round(file.size / 1024))} KiB
          </p>
        ) : (
          <p className="text-muted">{texts.drop}</p>
        )}
        <div className="flex flex-wrap justify-center gap-2">
          <label htmlFor={`${id}-folder`} className="button small">
            Choose a folder
            <input
              id={`${id}-folder`}
              type="file"
              className="sr-only"
              ref={(input) => input?.setAttribute('webkitdirectory', '')}
              onChange={(event) => pick(event.target.files)}
            />
          </label>
          <label htmlFor={`${id}-file`} className="button small">
            Choose an archive
            <input
              id={`${id}-file`}
              type="file"
              className="sr-only"
              accept=".zip,.tar,.gz,.tgz"
              onChange={(event) => pick(event.target.files)}
            />
          </label>
        </div>
      </div>
      <Fault error={error} />
    </div>
  );
}
